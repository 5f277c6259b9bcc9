import Foundation

/// A lock that excludes other processes from a bundle's folder while it is written or removed, until the value is
/// deallocated. The system releases it when a process ends.
final class FolderLock: Sendable {
    private let descriptor: Int32
    /// A check whether the folder is locked holds the lock briefly, so several attempts are made.
    private static let (tries, pause): (Int, UInt32) = (20, 5_000)

    /// - Throws: ``DownloadError`` `busy` or `storage`.
    convenience init(_ folder: BundleFolder) throws(DownloadError) {
        let descriptor: Int32?
        do throws(DiskError) {
            descriptor = try Self.acquire(folder)
        } catch {
            throw error.downloadError
        }
        guard let descriptor else {
            throw DownloadError(
                .busy,
                folder.path,
                "another process downloads into the folder: wait until it has finished, or stop it"
            )
        }
        self.init(descriptor)
    }

    /// Returns the lock if it is free; otherwise nil.
    static func tryAcquire(_ folder: BundleFolder) throws(DiskError) -> FolderLock? {
        try acquire(folder).map { FolderLock($0) }
    }

    /// Returns whether the lock is free. The lock of a folder that does not exist is free.
    static func isFree(_ folder: BundleFolder) -> Bool {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT }
        defer { close(descriptor) }
        // A shared lock, so that several processes can check at the same time.
        return flock(descriptor, LOCK_SH | LOCK_NB) == 0
    }

    private static func acquire(_ folder: BundleFolder) throws(DiskError) -> Int32? {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(file: folder.path, number: errno) }
        for attempt in 1...tries {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                // The folder may have been removed in the meantime, so that the locked directory no longer has a path.
                if isStillThere(folder, descriptor) { return descriptor }
                break
            }
            if attempt < tries { usleep(pause) }
        }
        close(descriptor)
        return nil
    }

    private static func isStillThere(_ folder: BundleFolder, _ descriptor: Int32) -> Bool {
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && stat(folder.path, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
