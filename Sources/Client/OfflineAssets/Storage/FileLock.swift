import Foundation

/// A lock that programs agree on, by a file that holds nothing. It goes with the program that has it.
///
/// The file may be taken away while somebody waits for it; the lock that counts is that of the file which has the name.
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
        while true {
            let file = try Self.opened(path)
            while flock(file, kind.operation) != 0 {
                guard errno == EINTR else { throw Self.failure("flock", path, closing: file) }
            }
            guard Self.has(path, file) else {
                close(file)
                continue
            }
            self.init(file)
            return
        }
    }

    /// Takes a lock if it can be had at once; nil otherwise.
    static func take(_ path: String, _ kind: Kind) throws(OfflineStorageError) -> FileLock? {
        while true {
            let file = try opened(path)
            guard flock(file, kind.operation | LOCK_NB) == 0 else {
                if errno != EINTR, errno != EWOULDBLOCK { throw failure("flock", path, closing: file) }
                let isHeld = errno == EWOULDBLOCK
                close(file)
                if isHeld { return nil }
                continue
            }
            if has(path, file) { return FileLock(file) }
            close(file)
        }
    }

    /// Whether nobody has a lock. Nothing is made for that: a file that is not there is locked by nobody.
    static func isFree(_ path: String) throws(OfflineStorageError) -> Bool {
        guard access(path, F_OK) == 0 else {
            if errno == ENOENT { return true }
            throw .system("access", path)
        }
        return try take(path, .exclusive) != nil
    }

    private init(_ file: Int32) { self.file = file }

    private static func opened(_ path: String) throws(OfflineStorageError) -> Int32 {
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("open", path) }
        return file
    }

    /// Whether a file still has its name.
    private static func has(_ path: String, _ file: Int32) -> Bool {
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
