internal import FPSCrypto

/// Keys at rest: a file for each title, encrypted, in one folder.
///
/// Each change writes a title's file anew beside the old one, puts it on the disk and renames it, so that the keys of a
/// title and what is known of them are always those of one moment, whatever stops in between. Several programs may use a
/// folder at the same time: changes are made under a lock on it.
///
///     FOLDER/NAME.keys   a title; NAME follows from it by HMAC-SHA256
///     FOLDER/lock        held while a title changes
///     FOLDER/NAME.use    held while a title is played, renewed or reported, and while it is removed
public final class KeptKeyStore: Sendable {
    /// Where it is.
    public let folder: String
    private let key: StorageKey
    private static let suffix = ".keys"
    private static let useSuffix = ".use"

    /// Opens a store, and makes its folder when it is not there.
    ///
    /// - Throws: ``OfflineStorageError``.
    public init(folder: String, key: StorageKey) throws(OfflineStorageError) {
        (self.folder, self.key) = (folder, key)
        try DurableFile.makeFolder(folder)
        try locked { () throws(OfflineStorageError) in
            // What a program left behind that was stopped while it wrote.
            for name in try DurableFile.names(in: folder) where name.hasSuffix(DurableFile.draftSuffix) {
                try DurableFile.remove(folder + "/" + name)
            }
        }
    }

    /// Makes a folder that only its owner may look into, and those above it.
    public static func makeFolder(_ path: String) throws(OfflineStorageError) { try DurableFile.makeFolder(path) }

    /// What is kept of a title; nil when nothing is.
    ///
    /// - Throws: ``OfflineStorageError/Code/damaged`` for a file that was cut off, changed or put in another's place.
    public func title(_ title: String) throws(OfflineStorageError) -> KeptTitle? {
        let kept = try read(name(of: title))
        guard let kept else { return nil }
        guard kept.title == title else {
            throw OfflineStorageError(.damaged, place: path(name(of: title)), reason: "it is of another title")
        }
        return kept
    }

    /// All that is kept, in the order of the titles, and the files that cannot be read, each with the reason.
    public func titles() throws(OfflineStorageError) -> (titles: [KeptTitle], damaged: [OfflineStorageError]) {
        var (titles, damaged): ([KeptTitle], [OfflineStorageError]) = ([], [])
        for name in try DurableFile.names(in: folder) where name.hasSuffix(Self.suffix) {
            do throws(OfflineStorageError) {
                if let title = try read(name) { titles.append(title) }
            } catch {
                damaged.append(error)
            }
        }
        return (titles.sorted { $0.title < $1.title }, damaged)
    }

    /// Changes what is kept of a title, for good once this returns. Where the file cannot be read, it is as if nothing was
    /// kept: its keys are lost already.
    ///
    /// - Returns: what `change` returns.
    @discardableResult
    public func change<Value>(
        _ title: String,
        _ change: (inout KeptTitle) -> Value
    ) throws(OfflineStorageError) -> Value {
        try locked { () throws(OfflineStorageError) in
            var kept: KeptTitle
            do throws(OfflineStorageError) {
                kept = try self.title(title) ?? KeptTitle(title: title)
            } catch  where error.code == .damaged {
                kept = KeptTitle(title: title)
            }
            let before = kept
            let value = change(&kept)
            if kept != before { try file(name(of: title)).write(kept.bytes) }
            return value
        }
    }

    /// Forgets a title; false when nothing was kept of it.
    @discardableResult
    public func remove(_ title: String) throws(OfflineStorageError) -> Bool {
        try locked { () throws(OfflineStorageError) in
            try DurableFile.remove(usePath(title))
            return try DurableFile.remove(path(name(of: title)))
        }
    }

    private func read(_ name: String) throws(OfflineStorageError) -> KeptTitle? {
        guard let secret = try file(name).read() else { return nil }
        do {
            return try KeptTitle(secret)
        } catch {
            throw OfflineStorageError(.damaged, place: path(name), reason: "\(error)")
        }
    }

    func usePath(_ title: String) -> String { path(key.fileName(for: title) + Self.useSuffix) }
    private func name(of title: String) -> String { key.fileName(for: title) + Self.suffix }
    private func path(_ name: String) -> String { folder + "/" + name }
    private func file(_ name: String) -> SealedFile { SealedFile(path(name), as: name, key: key) }

    /// Nothing called inside may call it again.
    func locked<Value>(_ body: () throws(OfflineStorageError) -> Value) throws(OfflineStorageError) -> Value {
        let lock = try FileLock(folder + "/lock", .exclusive)
        let result = Result { () throws(OfflineStorageError) in try body() }
        return try withExtendedLifetime(lock) { () throws(OfflineStorageError) in try result.get() }
    }
}
