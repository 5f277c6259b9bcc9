/// An error of reading or writing stored keys.
public struct OfflineStorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error; the names are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// A file or folder cannot be read or written.
        case fileSystem = "file-system"
        /// The disk is full.
        case diskFull = "disk-full"
        /// A file was truncated, changed or swapped, or the storage key is not the one that encrypted it.
        case damaged
        /// The file of the storage key can be read by others, or is not a regular file of the user.
        case unsafePermissions = "unsafe-permissions"
        /// The storage key does not have 32 bytes.
        case malformedKey = "malformed-key"
        /// A file is larger than any valid file.
        case tooLarge = "too-large"
    }

    /// The kind of error.
    public let code: Code
    /// The path of the file.
    public let place: String
    /// A description of the error, without secrets.
    public let reason: String

    /// Creates an error. `reason` must not contain a secret.
    public init(_ code: Code, place: String, reason: String) {
        (self.code, self.place, self.reason) = (code, place, reason)
    }

    /// The path, the reason and the code, on one line.
    public var description: String { "\(place): \(reason) (\(code.rawValue))" }

    /// The advice for the user.
    public var advice: String {
        switch code {
        case .fileSystem: "check that the folder exists and that you own it"
        case .diskFull: "free disk space: keyway offline evict"
        case .damaged: "renew the keys online: keyway offline renew"
        case .unsafePermissions: "chmod 600, and check that you own the file"
        case .malformedKey: "use a file of 32 bytes"
        case .tooLarge: "the file was not written by this program: remove it"
        }
    }
}
