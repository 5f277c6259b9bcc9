/// Why bytes are not a manifest that is read: a stable code, where, and what is wrong.
///
/// Two errors are equal when their codes are.
public struct ManifestError: Error, Sendable {
    /// What went wrong.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        public let rawValue: String

        /// Makes a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }

        /// It is no XML that is read, or no MPD.
        public static let noManifest = Code(rawValue: "no-manifest")
        /// An attribute that must be there is missing.
        public static let missingAttribute = Code(rawValue: "missing-attribute")
        /// An attribute has a value that means nothing.
        public static let invalidValue = Code(rawValue: "invalid-value")
    }

    /// What went wrong.
    public let code: Code
    /// `document`, or `line` and its number from 1.
    public let place: String
    /// What was found and what was expected.
    public let reason: String

    init(_ code: Code, _ place: String, _ reason: String) {
        self.code = code
        self.place = place
        self.reason = reason
    }
}

extension ManifestError: Equatable {
    /// True when both errors have the same code.
    public static func == (left: ManifestError, right: ManifestError) -> Bool { left.code == right.code }
}

extension ManifestError: CustomStringConvertible {
    /// One line: the place and the reason.
    public var description: String { "\(place): \(reason)" }
}
