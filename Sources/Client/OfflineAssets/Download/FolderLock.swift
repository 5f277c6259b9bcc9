import Foundation

/// Keeps others out of a bundle's folder while it is written to or removed, for as long as the value lives. The system lets
/// go where a process ends, in whatever way.
final class FolderLock: Sendable {
    private let descriptor: Int32
    /// Who only wants to know whether a folder is locked has it for a moment, which is no reason to give up.
    private static let (tries, pause): (Int, UInt32) = (20, 5_000)

    /// - Throws: ``DownloadError`` `busy`, `storage`.
    convenience init(_ folder: BundleFolder) throws(DownloadError) {
        let descriptor: Int32?
        do throws(DiskError) {
            descriptor = try Self.taken(folder)
        } catch {
            throw error.downloadError
        }
        guard let descriptor else {
            throw DownloadError(.busy, folder.path, "another process downloads into it: wait for that, or stop it")
        }
        self.init(descriptor)
    }

    /// The lock, if nobody has it; nil otherwise.
    static func take(_ folder: BundleFolder) throws(DiskError) -> FolderLock? {
        try taken(folder).map { FolderLock($0) }
    }

    /// Whether nobody has it; of a folder that is not there nobody does.
    static func isFree(_ folder: BundleFolder) -> Bool {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT }
        defer { close(descriptor) }
        // Shared, so that several may look at the same time.
        return flock(descriptor, LOCK_SH | LOCK_NB) == 0
    }

    private static func taken(_ folder: BundleFolder) throws(DiskError) -> Int32? {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(file: folder.path, number: errno) }
        for attempt in 1...tries {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                // It may have been removed meanwhile, and what is locked then has no name any more.
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
