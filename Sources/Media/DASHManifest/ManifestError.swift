/// An error that prevents a manifest from being parsed: a stable code, the location, and the reason.
///
/// Two errors are equal when their codes are equal.
public struct ManifestError: Error, Sendable {
    /// The code of an error.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, in kebab-case.
        public let rawValue: String

        /// Creates a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable name.
        public var description: String { rawValue }

        /// The bytes are not supported XML, or the root element is not an MPD.
        public static let noManifest = Code(rawValue: "no-manifest")
        /// A required attribute is missing.
        public static let missingAttribute = Code(rawValue: "missing-attribute")
        /// An attribute has an invalid value.
        public static let invalidValue = Code(rawValue: "invalid-value")
    }

    /// The code of the error.
    public let code: Code
    /// The location: `document`, or `line` and the line number, starting at 1.
    public let place: String
    /// The problem and the expected value.
    public let reason: String

    init(_ code: Code, _ location: String, _ reason: String) {
        self.code = code
        self.place = location
        self.reason = reason
    }
}

extension ManifestError: Equatable {
    /// Returns whether both errors have the same code.
    public static func == (left: ManifestError, right: ManifestError) -> Bool { left.code == right.code }
}

extension ManifestError: CustomStringConvertible {
    /// The location and the reason, in one line.
    public var description: String { "\(place): \(reason)" }
}
