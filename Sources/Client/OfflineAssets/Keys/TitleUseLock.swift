import Dispatch
import Foundation

/// A lock that marks a title as in use while it is played, renewed or reported, so that it is not evicted. Released
/// when it is deallocated.
public final class TitleUseLock: Sendable {
    private let lock: FileLock?
    init(lock: FileLock?) { self.lock = lock }
}

/// The exclusive right to remove a download: it is not played, downloaded or renewed until this value is deallocated.
/// Invalidate its keys, if necessary, while holding the claim.
public final class RemovalClaim: Sendable {
    private let store: OfflineKeyStore
    private let title: String
    private let folder: String
    private let use: FileLock
    private let writing: FolderLock?

    init(_ store: OfflineKeyStore, title: String, folder: String, use: FileLock, writing: FolderLock?) {
        (self.store, self.title, self.folder) = (store, title, folder)
        (self.use, self.writing) = (use, writing)
    }

    /// Removes the files, and then the stored keys of the title. In this order, an interrupted removal leaves keys
    /// without media, which the next attempt removes, and not media without keys.
    public func remove() throws(OfflineStorageError) {
        if FileManager.default.fileExists(atPath: folder) {
            do {
                try FileManager.default.removeItem(atPath: folder)
            } catch {
                throw OfflineStorageError(.fileSystem, place: folder, reason: "the folder cannot be removed")
            }
        }
        try store.remove(title)
    }
}

extension OfflineKeyStore {
    /// Marks a title as in use until the returned value is deallocated. Waits while the title is being removed.
    ///
    /// A download does not need this, because it locks its folder. In a folder that is read-only, there is no lock, and
    /// the title cannot be removed.
    public func use(_ title: String) async throws(OfflineStorageError) -> TitleUseLock {
        guard !isReadOnly else { return TitleUseLock(lock: nil) }
        let path = usePath(title)
        if let lock = try FileLock.tryAcquire(path, .shared) { return TitleUseLock(lock: lock) }
        let result = await withCheckedContinuation { continuation in
            // Waiting blocks, which must not happen on the threads of tasks.
            DispatchQueue.global().async {
                do throws(OfflineStorageError) {
                    continuation.resume(returning: Result<_, OfflineStorageError>.success(try FileLock(path, .shared)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return TitleUseLock(lock: try result.get())
    }

    /// Returns whether a title is played, renewed or downloaded by any process.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - folder: The path of its bundle.
    public func isInUse(_ title: String, folder: String) throws(OfflineStorageError) -> Bool {
        guard FolderLock.isFree(BundleFolder(folder)) else { return true }
        guard !isReadOnly else { return false }
        let path = usePath(title)
        // Most titles have never been played on this device, and then the lock is not needed.
        if access(path, F_OK) != 0, errno == ENOENT { return false }
        return try locked { () throws(OfflineStorageError) in try !FileLock.isFree(path) }
    }

    /// Claims the removal of a title; nil while it is in use.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - folder: The path of its bundle.
    public func claim(_ title: String, folder: String) throws(OfflineStorageError) -> RemovalClaim? {
        // Under the lock, so that a process that only checks for use is not mistaken for one that plays.
        let use = try locked { () throws(OfflineStorageError) in try FileLock.tryAcquire(usePath(title), .exclusive) }
        guard let use else { return nil }
        let files = BundleFolder(folder)
        let writing: FolderLock?
        do throws(DiskError) {
            writing = try FolderLock.tryAcquire(files)
        } catch {
            // A missing folder cannot be in use by a download.
            guard error.number == ENOENT else { throw .system("open", folder, error.number) }
            return RemovalClaim(self, title: title, folder: folder, use: use, writing: nil)
        }
        guard let writing else { return nil }
        return RemovalClaim(self, title: title, folder: folder, use: use, writing: writing)
    }
}
