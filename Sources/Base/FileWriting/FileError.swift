import Foundation

/// An error of the system for a file.
package struct FileError: Error, Hashable, CustomStringConvertible {
    /// The operation that failed.
    package enum Action: String, Sendable {
        case open = "cannot open"
        case read = "cannot read"
        case write = "cannot write"
        case create = "cannot create"
        case rename = "cannot rename"
    }

    /// The operation that failed.
    package let action: Action
    /// The file's path.
    package let path: String
    /// The system's error number (`errno`).
    package let code: Int32
    /// A reason that is more specific than the error number; nil for the system's description.
    package let reason: String?

    /// Creates an error.
    package init(_ action: Action, path: String, code: Int32, reason: String? = nil) {
        self.action = action
        self.path = path
        self.code = code
        self.reason = reason
    }

    /// The action, the path and the reason.
    package var description: String {
        let isReading = action == .open || action == .read
        let refusal = isReading ? URLText.refusal(ofInput: path) : URLText.refusal(ofOutput: path)
        return (code == ENOENT ? refusal : nil) ?? "\(action.rawValue) \(path): \(explanation)"
    }

    /// The reason without the action and the path.
    package var explanation: String {
        reason ?? (code == EINVAL ? "the path is not a regular file" : String(cString: strerror(code)))
    }
}
