import Foundation

/// A lock between processes on an empty file. The system releases it when the process ends.
///
/// The file may be removed while a process waits for the lock, so the lock counts only if the path still refers to the
/// same file.
final class FileLock: Sendable {
    /// The mode of a lock.
    enum Kind: Sendable {
        /// An exclusive lock.
        case exclusive
        /// A lock that other shared locks do not exclude.
        case shared

        fileprivate var operation: Int32 { self == .exclusive ? LOCK_EX : LOCK_SH }
    }

    private let file: Int32

    /// Waits for a lock.
    convenience init(_ path: String, _ kind: Kind) throws(OfflineStorageError) {
        while true {
            let file = try Self.opened(path)
            while flock(file, kind.operation) != 0 {
                guard errno == EINTR else { throw Self.failure("flock", path, closing: file) }
            }
            guard Self.isSameFile(path, file) else {
                close(file)
                continue
            }
            self.init(file)
            return
        }
    }

    /// Acquires a lock if it is free; otherwise returns nil.
    static func tryAcquire(_ path: String, _ kind: Kind) throws(OfflineStorageError) -> FileLock? {
        while true {
            let file = try opened(path)
            guard flock(file, kind.operation | LOCK_NB) == 0 else {
                if errno != EINTR, errno != EWOULDBLOCK { throw failure("flock", path, closing: file) }
                let isHeld = errno == EWOULDBLOCK
                close(file)
                if isHeld { return nil }
                continue
            }
            if isSameFile(path, file) { return FileLock(file) }
            close(file)
        }
    }

    /// Returns whether a lock is free. The file is not created: the lock of a missing file is free.
    static func isFree(_ path: String) throws(OfflineStorageError) -> Bool {
        guard access(path, F_OK) == 0 else {
            if errno == ENOENT { return true }
            throw .system("access", path)
        }
        return try tryAcquire(path, .exclusive) != nil
    }

    private init(_ file: Int32) { self.file = file }

    private static func opened(_ path: String) throws(OfflineStorageError) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("open", path) }
        return file
    }

    /// Returns whether the path still refers to the open file.
    private static func isSameFile(_ path: String, _ file: Int32) -> Bool {
        var (own, named) = (stat(), stat())
        return fstat(file, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }

    private static func failure(_ call: String, _ path: String, closing file: Int32) -> OfflineStorageError {
        defer { close(file) }
        return .system(call, path)
    }

    deinit { close(file) }
}
