/// An error from parsing bytes: a stable code, the field or structure, and its offset.
///
/// The code is intended for programs and never changes its meaning; the rest is intended for people. Two errors are
/// equal if their codes are equal. An error never contains the parsed bytes, so it can be logged.
public struct ParseError: Error, Sendable {
    /// The stable code of an error. Every target with a parser adds its own values in an extension.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        public let rawValue: String

        /// Creates a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }

        /// The input ends before the end of the field.
        public static let truncated = Code(rawValue: "truncated")
        /// The input has bytes after the last field.
        public static let trailingBytes = Code(rawValue: "trailing-bytes")
        /// A length field contradicts the surrounding structure.
        public static let invalidLength = Code(rawValue: "invalid-length")
        /// A field has a value that its definition does not allow.
        public static let invalidValue = Code(rawValue: "invalid-value")
    }

    /// The code of the error.
    public let code: Code
    /// The name of the field or structure, as in its specification.
    public let reading: String
    /// The offset of the field or structure, in bytes from the start of the outermost input.
    public let offset: Int
    /// The values found and expected; nil if they add nothing to the code.
    public let reason: String?

    /// Creates an error. `offset` is in bytes from the start of the outermost input.
    public init(_ code: Code, reading: String, offset: Int, reason: String? = nil) {
        self.code = code
        self.reading = reading
        self.offset = offset
        self.reason = reason
    }
}

extension ParseError: Equatable {
    /// Returns whether both errors have the same code, regardless of the offset.
    public static func == (left: ParseError, right: ParseError) -> Bool { left.code == right.code }
}

extension ParseError: CustomStringConvertible {
    /// The code, the byte offset, the field or structure, and the reason, on one line.
    public var description: String {
        "\(code) at byte \(offset), reading \(reading)" + (reason.map { ": \($0)" } ?? "")
    }
}
