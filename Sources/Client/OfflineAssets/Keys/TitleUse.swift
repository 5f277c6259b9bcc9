import Dispatch
import Foundation

/// Says for as long as it is there that a title is played, renewed or reported, so that it does not go when room is needed.
public final class TitleUse: Sendable {
    private let lock: FileLock
    init(lock: FileLock) { self.lock = lock }
}

/// The right to take a download away: nobody plays it, downloads it or renews its keys, and until this is let go of nobody
/// begins to. What is needed of its keys before, such as giving them back, is done while one has it.
public final class RemovalClaim: Sendable {
    private let store: KeptKeyStore
    private let title: String
    private let folder: String
    private let use: FileLock
    private let writing: FolderLock?

    init(_ store: KeptKeyStore, title: String, folder: String, use: FileLock, writing: FolderLock?) {
        (self.store, self.title, self.folder) = (store, title, folder)
        (self.use, self.writing) = (use, writing)
    }

    /// Removes the files, and then what is kept of the title: keys without a film are forgotten at the next try, a film
    /// without keys is a riddle.
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

extension KeptKeyStore {
    /// Says that a title is played or renewed, until what this returns is let go of. While the title is being removed, this
    /// waits until that is over.
    ///
    /// A download is in use by itself: it locks its folder.
    public func use(_ title: String) async throws(OfflineStorageError) -> TitleUse {
        let path = usePath(title)
        if let lock = try FileLock.take(path, .shared) { return TitleUse(lock: lock) }
        let result = await withCheckedContinuation { continuation in
            // Waiting blocks, which the threads of tasks should not.
            DispatchQueue.global().async {
                do throws(OfflineStorageError) {
                    continuation.resume(returning: Result<_, OfflineStorageError>.success(try FileLock(path, .shared)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return TitleUse(lock: try result.get())
    }

    /// Whether a title is played or renewed, or something is downloaded into its folder, by whatever program.
    ///
    /// - Parameter folder: the path of its bundle.
    public func isInUse(_ title: String, folder: String) throws(OfflineStorageError) -> Bool {
        guard FolderLock.isFree(BundleFolder(folder)) else { return true }
        let path = usePath(title)
        // Most titles have never been played here, and then there is nothing to ask about under the lock.
        if access(path, F_OK) != 0, errno == ENOENT { return false }
        return try locked { () throws(OfflineStorageError) in try !FileLock.isFree(path) }
    }

    /// The right to remove a title; nil while it is in use.
    ///
    /// - Parameter folder: the path of its bundle.
    public func claim(_ title: String, folder: String) throws(OfflineStorageError) -> RemovalClaim? {
        // Under the lock, so that nobody who only looks is taken for somebody who plays.
        let use = try locked { () throws(OfflineStorageError) in try FileLock.take(usePath(title), .exclusive) }
        guard let use else { return nil }
        let files = BundleFolder(folder)
        let writing: FolderLock?
        do throws(DiskError) {
            writing = try FolderLock.take(files)
        } catch {
            // What is not there is written to by nobody.
            guard error.number == ENOENT else { throw .system("open", folder, error.number) }
            return RemovalClaim(self, title: title, folder: folder, use: use, writing: nil)
        }
        guard let writing else { return nil }
        return RemovalClaim(self, title: title, folder: folder, use: use, writing: writing)
    }
}
