/// Why a policy was refused when it was made.
public struct PolicyError: Error, Sendable {
    /// What kind of mistake it is. Stable.
    public enum Code: String, Sendable {
        /// It is not a JSON object.
        case notAnObject = "not-an-object"
        /// A field that no policy has.
        case unknownField = "unknown-field"
        /// A field has a value that it cannot have.
        case invalidValue = "invalid-value"
        /// Two fields contradict each other.
        case contradiction = "contradiction"
    }

    /// What kind of mistake it is.
    public let code: Code
    /// The field, as a path such as `persist.storage`; empty for the whole document.
    public let field: String
    /// What is wrong and what would be right.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, field: String, reason: String) {
        self.code = code
        self.field = field
        self.reason = reason
    }
}

extension PolicyError: Equatable, CustomStringConvertible {
    /// True when the codes are the same.
    public static func == (left: PolicyError, right: PolicyError) -> Bool { left.code == right.code }

    /// One line: field and reason.
    public var description: String { field.isEmpty ? "policy: \(reason)" : "policy, \(field): \(reason)" }
}
