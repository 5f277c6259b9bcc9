internal import FPSCrypto
import Locking

/// A store of encrypted keys: one file for each title, in one folder.
///
/// Each change writes a new file, synchronizes it to the disk and renames it, so that the keys of a title and their
/// history are always consistent, even after a crash. Several processes can use a folder concurrently: changes are made
/// under a lock.
///
///     FOLDER/NAME.keys   a title; NAME is derived from it with HMAC-SHA256
///     FOLDER/lock        locked while a title changes
///     FOLDER/NAME.use    locked while a title is played, renewed or reported, and while it is removed
///     FOLDER/N.return    the keys of a deleted title, until they are returned to the server
///
/// A store in a folder that is read-only returns keys, and records nothing: ``hasUnrecordedChanges``.
public final class OfflineKeyStore: Sendable {
    /// The path of the folder.
    public let folder: String
    /// True if the folder cannot be written.
    public let isReadOnly: Bool
    private let key: StorageKey
    private let unrecorded = Lock(false)
    private static let suffix = ".keys"
    private static let useSuffix = ".use"

    /// Opens a store, and creates its folder if it does not exist.
    ///
    /// - Throws: ``OfflineStorageError``.
    public convenience init(folder: String, key: StorageKey) throws(OfflineStorageError) {
        try self.init(folder: folder, key: key, isReadOnly: DurableFile.isReadOnly(folder))
    }

    init(folder: String, key: StorageKey, isReadOnly: Bool) throws(OfflineStorageError) {
        (self.folder, self.key, self.isReadOnly) = (folder, key, isReadOnly)
        guard !isReadOnly else { return }
        try DurableFile.makeFolder(folder)
        try locked { () throws(OfflineStorageError) in
            // Removes temporary files of processes that were stopped while writing.
            for name in try DurableFile.names(in: folder) where name.hasSuffix(DurableFile.draftSuffix) {
                try DurableFile.remove(folder + "/" + name)
            }
        }
    }

    /// Creates a folder that only its owner can access, and its parent folders.
    public static func makeFolder(_ path: String) throws(OfflineStorageError) { try DurableFile.makeFolder(path) }

    /// True if a change was not recorded because the folder is read-only.
    public var hasUnrecordedChanges: Bool { unrecorded.withLock { $0 } }

    /// Returns whether a folder cannot be written, or cannot be created because its parent folder cannot be written.
    public static func isReadOnly(_ folder: String) -> Bool { DurableFile.isReadOnly(folder) }

    /// Returns the stored keys of a title; nil if there are none.
    ///
    /// - Throws: ``OfflineStorageError/Code/damaged`` for a file that was truncated, changed or swapped with another
    ///   file.
    public func title(_ title: String) throws(OfflineStorageError) -> OfflineTitle? {
        let kept = try read(name(of: title))
        guard let kept else { return nil }
        guard kept.title == title else {
            throw OfflineStorageError(
                .damaged,
                place: path(name(of: title)),
                reason: "the file belongs to another title"
            )
        }
        return kept
    }

    /// Returns all stored titles, sorted, and an error for each file that cannot be read.
    public func titles() throws(OfflineStorageError) -> (titles: [OfflineTitle], damaged: [OfflineStorageError]) {
        var (titles, damaged): ([OfflineTitle], [OfflineStorageError]) = ([], [])
        for name in try DurableFile.names(in: folder) where name.hasSuffix(Self.suffix) {
            do throws(OfflineStorageError) {
                if let title = try read(name) { titles.append(title) }
            } catch {
                damaged.append(error)
            }
        }
        return (titles.sorted { $0.title < $1.title }, damaged)
    }

    /// Changes the stored keys of a title; the change is on the disk when this returns. A damaged file is treated as
    /// empty, because its keys are already lost. If the folder is read-only, the change is lost, which
    /// ``hasUnrecordedChanges`` then reports.
    ///
    /// - Returns: The result of `change`.
    @discardableResult
    public func change<Value>(
        _ title: String,
        _ change: (inout OfflineTitle) -> Value
    ) throws(OfflineStorageError) -> Value {
        guard !isReadOnly else {
            let before = try self.title(title) ?? OfflineTitle(title: title)
            var kept = before
            let value = change(&kept)
            if kept != before { unrecorded.withLock { $0 = true } }
            return value
        }
        return try locked { () throws(OfflineStorageError) in
            var kept: OfflineTitle
            do throws(OfflineStorageError) {
                kept = try self.title(title) ?? OfflineTitle(title: title)
            } catch  where error.code == .damaged {
                kept = OfflineTitle(title: title)
            }
            let before = kept
            let value = change(&kept)
            if kept != before { try file(name(of: title)).write(kept.bytes) }
            return value
        }
    }

    /// Removes a title. Returns false if it was not stored.
    @discardableResult
    public func remove(_ title: String) throws(OfflineStorageError) -> Bool {
        try locked { () throws(OfflineStorageError) in
            try DurableFile.remove(usePath(title))
            return try DurableFile.remove(path(name(of: title)))
        }
    }

    func read(_ name: String) throws(OfflineStorageError) -> OfflineTitle? {
        guard let secret = try file(name).read() else { return nil }
        do {
            return try OfflineTitle(secret)
        } catch {
            throw OfflineStorageError(.damaged, place: path(name), reason: "\(error)")
        }
    }

    func usePath(_ title: String) -> String { path(key.fileName(for: title) + Self.useSuffix) }
    private func name(of title: String) -> String { key.fileName(for: title) + Self.suffix }
    func path(_ name: String) -> String { folder + "/" + name }
    func file(_ name: String) -> EncryptedFile { EncryptedFile(path(name), as: name, key: key) }

    /// Runs a function under the store's lock, which is not reentrant.
    func locked<Value>(_ body: () throws(OfflineStorageError) -> Value) throws(OfflineStorageError) -> Value {
        let lock = try FileLock(folder + "/lock", .exclusive)
        let result = Result { () throws(OfflineStorageError) in try body() }
        return try withExtendedLifetime(lock) { () throws(OfflineStorageError) in try result.get() }
    }
}
