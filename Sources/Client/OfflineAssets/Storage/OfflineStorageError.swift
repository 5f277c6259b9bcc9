/// Why what is kept on this machine cannot be read or written.
public struct OfflineStorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong; the names are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// A file or folder cannot be read or written.
        case fileSystem = "file-system"
        /// There is no room left.
        case diskFull = "disk-full"
        /// A file was cut off, changed or put in another's place, or the storage key is another one.
        case damaged
        /// The storage key's file can be read by others, or is no plain file of the user's own.
        case unsafePermissions = "unsafe-permissions"
        /// The storage key has not 32 bytes.
        case malformedKey = "malformed-key"
        /// A file is larger than anything that was written here.
        case tooLarge = "too-large"
    }

    /// What went wrong.
    public let code: Code
    /// Which file.
    public let place: String
    /// What was found; no secrets.
    public let reason: String

    /// Makes an error. `reason` must not hold a secret.
    public init(_ code: Code, place: String, reason: String) {
        (self.code, self.place, self.reason) = (code, place, reason)
    }

    /// One line.
    public var description: String { "\(place): \(reason) (\(code.rawValue))" }

    /// What can be done about it.
    public var advice: String {
        switch code {
        case .fileSystem: "check that the folder is there and belongs to you"
        case .diskFull: "make room: keyway offline evict"
        case .damaged: "renew the keys online: keyway offline renew"
        case .unsafePermissions: "chmod 600, and see that it is yours"
        case .malformedKey: "give a file of 32 bytes"
        case .tooLarge: "it was not written by this program: take it away"
        }
    }
}
