import Glibc

/// A lock that programs agree on, by a file that holds nothing. It goes with the program that has it.
final class FileLock: Sendable {
    /// Who else may have it.
    enum Kind: Sendable {
        /// Nobody.
        case exclusive
        /// Whoever wants it shared.
        case shared

        fileprivate var operation: Int32 { self == .exclusive ? LOCK_EX : LOCK_SH }
    }

    private let file: Int32

    /// Waits for a lock.
    convenience init(_ path: String, _ kind: Kind) throws(OfflineStorageError) {
        let file = try Self.opened(path)
        while flock(file, kind.operation) != 0 {
            guard errno == EINTR else {
                defer { close(file) }
                throw .system("flock", path)
            }
        }
        self.init(file)
    }

    /// Takes a lock if it can be had at once; nil otherwise.
    static func take(_ path: String, _ kind: Kind) throws(OfflineStorageError) -> FileLock? {
        let file = try opened(path)
        while flock(file, kind.operation | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            defer { close(file) }
            if errno == EWOULDBLOCK { return nil }
            throw .system("flock", path)
        }
        return FileLock(file)
    }

    private init(_ file: Int32) { self.file = file }

    private static func opened(_ path: String) throws(OfflineStorageError) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("open", path) }
        return file
    }

    deinit { close(file) }
}
