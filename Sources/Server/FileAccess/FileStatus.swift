import Glibc

/// The status of a file.
package struct FileStatus: Hashable, Sendable {
    /// The kind of a file.
    package enum Kind: Hashable, Sendable {
        case regular, folder, other
    }

    /// The kind.
    package let kind: Kind
    /// The size in bytes.
    package let size: Int
    /// The permissions, such as 0o644.
    package let mode: UInt32
    /// The user who owns the file.
    package let owner: UInt32
    /// The version of the file.
    package let identity: FileIdentity

    /// Reads the status of an open file; nil if that fails.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of a file, following links; nil if that fails.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of an entry of an open folder, without following a link; nil if that fails.
    init?(folder: Int32, name: String) {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            default: .other
            }
        size = Int(status.st_size)
        mode = UInt32(status.st_mode) & 0o7777
        owner = UInt32(status.st_uid)
        identity = FileIdentity(status)
    }

    /// The reason why a file with a secret must not be used, and the command that solves it; nil if it is protected: a
    /// regular file of the user that runs the program or of root, to which others have no access. Its group may read it
    /// if root owns it, so that a service can read what it cannot change.
    package func secretProblem(path: String) -> String? {
        let user = UInt32(geteuid())
        guard kind == .regular else { return "is not a regular file; secrets are read only from regular files" }
        guard owner == user || owner == 0 else {
            return "belongs to user \(owner), but must belong to root or to user \(user), who runs this program; "
                + "chown \(user) \(path)"
        }
        guard mode & (owner == 0 ? 0o037 : 0o077) == 0 else {
            return "contains a secret and is accessible to other users (mode 0\(String(mode & 0o777, radix: 8))); "
                + "chmod 600 \(path)"
        }
        return nil
    }
}

/// The identity of a version of a file: its number, its size, and the time of its last change.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    fileprivate init(_ status: stat) {
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
    }

    var text: String {
        let time = UInt64(bitPattern: seconds &* 1_000_000_000 &+ nanoseconds)
        return [number, UInt64(size), time].map { String($0, radix: 16) }.joined(separator: "-")
    }
}
