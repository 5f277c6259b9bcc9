import Foundation
import Locking

/// A file that has not yet got its name: `.keyway-1f3a5c7e9b2d4f60.tmp`, in the folder where it will have one.
///
/// It is locked as long as its process lives. So a later run can tell what a killed one has left, and removes it.
struct TemporaryFile: ~Copyable {
    let path: String
    let descriptor: Int32

    private static let prefix = ".keyway-"
    private static let suffix = ".tmp"
    private static let digits = 16
    /// The folders in which this process has removed what killed runs left.
    private static let swept = Lock<Set<String>>([])

    /// Makes a file, open for reading and writing.
    ///
    /// - Throws: ``FileFailure`` with the number of the system's error.
    init(in folder: String, mode: mode_t, for path: String) throws(FileFailure) {
        if Self.swept.withLock({ $0.insert(folder).inserted }) { Self.removeLeftovers(in: folder) }
        while true {
            let number = String(UInt64.random(in: 0...(.max)), radix: 16)
            let digits = String(repeating: "0", count: Self.digits - number.count) + number
            let name = "\(folder)/\(Self.prefix)\(digits)\(Self.suffix)"
            let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            guard descriptor >= 0 else {
                if errno == EEXIST || errno == EINTR { continue }
                throw FileFailure(.create, path: path, code: errno)
            }
            // A run that clears away between opening and locking takes it for a leftover: then it has no name any more.
            var status = stat()
            let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            guard !isTaken, fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
                close(descriptor)
                continue
            }
            self.path = name
            self.descriptor = descriptor
            return
        }
    }

    /// Removes the temporary files of processes that have ended without removing them.
    static func removeLeftovers(in folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where isTemporary(name) {
            let path = folder + "/" + name
            let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                flock(descriptor, LOCK_EX | LOCK_NB) == 0
            else { continue }
            unlink(path)
        }
    }

    private static func isTemporary(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
        let number = name.dropFirst(prefix.count).dropLast(suffix.count)
        return number.utf8.count == digits && number.allSatisfy(\.isHexDigit)
    }
}
