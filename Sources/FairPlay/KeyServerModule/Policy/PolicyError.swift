/// An error in a policy document.
public struct PolicyError: Error, Sendable {
    /// The stable code of the error.
    public enum Code: String, Sendable {
        /// The document is not a JSON object.
        case notAnObject = "not-an-object"
        /// The document has an unknown field.
        case unknownField = "unknown-field"
        /// A field has an invalid value.
        case invalidValue = "invalid-value"
        /// Two fields contradict each other.
        case contradiction = "contradiction"
    }

    /// The code of the error.
    public let code: Code
    /// The field, as a path such as `persist.storage`; empty for the whole document.
    public let field: String
    /// The description of the error, with the expected value.
    public let reason: String

    /// Creates an error.
    public init(_ code: Code, field: String, reason: String) {
        self.code = code
        self.field = field
        self.reason = reason
    }
}

extension PolicyError: Equatable, CustomStringConvertible {
    /// Returns whether the two errors have the same code.
    public static func == (left: PolicyError, right: PolicyError) -> Bool { left.code == right.code }

    /// The field and the reason, on one line.
    public var description: String { field.isEmpty ? "policy: \(reason)" : "policy, \(field): \(reason)" }
}
