import Foundation
import Locking

/// A temporary file such as `.keyway-1f3a5c7e9b2d4f60.tmp`, in the folder of its final path.
///
/// The file is locked as long as its process runs, so a later process can detect and remove the files of a process that
/// was killed.
struct TemporaryFile: ~Copyable {
    let path: String
    let descriptor: Int32

    private static let prefix = ".keyway-"
    private static let suffix = ".tmp"
    private static let digits = 16
    /// The folders in which this process has removed the leftover files of killed processes.
    private static let cleanedFolders = Lock<Set<String>>([])

    /// Creates a file and opens it for reading and writing.
    ///
    /// - Throws: ``FileError`` with the system's error number.
    init(in folder: String, mode: mode_t, for path: String) throws(FileError) {
        if Self.cleanedFolders.withLock({ $0.insert(folder).inserted }) { Self.removeLeftovers(in: folder) }
        while true {
            let number = String(UInt64.random(in: 0...(.max)), radix: 16)
            let digits = String(repeating: "0", count: Self.digits - number.count) + number
            let name = "\(folder)/\(Self.prefix)\(digits)\(Self.suffix)"
            let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            guard descriptor >= 0 else {
                if errno == EEXIST || errno == EINTR { continue }
                throw FileError(.create, path: path, code: errno)
            }
            // Another process can remove the file as a leftover between opening and locking. The file then has no name.
            var status = stat()
            let isLockedElsewhere = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            guard !isLockedElsewhere, fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
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
