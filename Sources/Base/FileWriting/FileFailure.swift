import Foundation

/// What the system says about a file.
package struct FileFailure: Error, Hashable, CustomStringConvertible {
    /// What was tried.
    package enum Action: String, Sendable {
        case open = "cannot open"
        case read = "cannot read"
        case write = "cannot write"
        case create = "cannot create"
        case rename = "cannot rename"
    }

    /// What was tried.
    package let action: Action
    /// The file's path.
    package let path: String
    /// The system's error number (`errno`).
    package let code: Int32
    /// A reason that says more than the error number; nil for the system's words.
    package let reason: String?

    /// Describes a failure.
    package init(_ action: Action, path: String, code: Int32, reason: String? = nil) {
        self.action = action
        self.path = path
        self.code = code
        self.reason = reason
    }

    /// The action, the path and the reason.
    package var description: String { "\(action.rawValue) \(path): \(words)" }

    /// The reason alone.
    package var words: String {
        reason ?? (code == EINVAL ? "it is not a regular file" : String(cString: strerror(code)))
    }
}
