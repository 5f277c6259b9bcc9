/// Why some bytes could not be read: a stable code, what was being read, and where.
///
/// The code is for programs and never changes its meaning; the rest is for people. Two errors are equal when their
/// codes are. An error never carries the bytes themselves, so that it may be logged.
public struct ParseError: Error, Sendable {
    /// What went wrong. Every target that parses adds its own values in an extension.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        public let rawValue: String

        /// Makes a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }

        /// The input ended before the field did.
        public static let truncated = Code(rawValue: "truncated")
        /// Bytes were left over after the last field.
        public static let trailingBytes = Code(rawValue: "trailing-bytes")
        /// A length field contradicts what surrounds it.
        public static let invalidLength = Code(rawValue: "invalid-length")
        /// A field holds a value that its definition does not allow.
        public static let invalidValue = Code(rawValue: "invalid-value")
    }

    /// What went wrong.
    public let code: Code
    /// The field or structure that was being read, in the words of its specification.
    public let reading: String
    /// Where it begins: the number of bytes from the start of the outermost input.
    public let offset: Int
    /// What was found and what was expected, where that says more than the code does.
    public let reason: String?

    /// Makes an error. `offset` is in bytes from the start of the outermost input.
    public init(_ code: Code, reading: String, offset: Int, reason: String? = nil) {
        self.code = code
        self.reading = reading
        self.offset = offset
        self.reason = reason
    }
}

extension ParseError: Equatable {
    /// True when both errors have the same code, wherever they occurred.
    public static func == (left: ParseError, right: ParseError) -> Bool { left.code == right.code }
}

extension ParseError: CustomStringConvertible {
    /// One line: the code, what was being read, the byte offset and the reason.
    public var description: String {
        "\(code) at byte \(offset), reading \(reading)" + (reason.map { ": \($0)" } ?? "")
    }
}
