import Glibc
package import KeyStore

extension SQLiteKeyStore {
    /// Opens the store in a data folder. Where it is missing, it is created if `creating` says so: the folder with mode 0700,
    /// in it `keyway.sqlite`, which appears whole or not at all, and, if the key is to come from the folder, `kek`, with mode
    /// 0600.
    ///
    /// A missing key is never replaced by a new one once there is a database: what that holds would be lost.
    ///
    /// - Throws: ``KeyStoreError`` with the codes `missingStore`, `conflict`, `unsafePermissions`, `missingKEK`,
    ///   `malformedKEK`, `wrongKEK`, `foreignDatabase`, `newerSchema`, `locked`, `unavailable`.
    package convenience init(
        dataFolder folder: String,
        key source: KeyEncryptionKeySource,
        creating: StoreCreation = .ifMissing
    ) throws(KeyStoreError) {
        // Before the lock, which is for folders that are a server's.
        if creating == .never { try Self.requireDatabase(inFolder: folder) }
        let lock = try DataFolderLock(folder, mayCreate: creating != .never)
        defer { lock.release() }
        let isNew: Bool
        let ring: KeyEncryptionKeyRing
        do throws(KeyStoreError) {
            (ring, isNew) = try Self.prepare(folder, source, creating)
        } catch {
            lock.abandon()
            throw error
        }
        try self.init(path: Self.database(inFolder: folder), keys: ring, isNew: isNew)
    }

    /// Checks that a data folder has a database.
    ///
    /// - Throws: ``KeyStoreError/Code/missingStore``; ``KeyStoreError/Code/unavailable`` when that cannot be told.
    package static func requireDatabase(inFolder folder: String) throws(KeyStoreError) {
        var status = stat()
        if lstat(database(inFolder: folder), &status) == 0 {
            // A database that SQLite has not begun to write is none.
            guard status.st_mode & S_IFMT != S_IFREG || status.st_size > 0 else {
                throw KeyStoreError(.missingStore, place: folder, reason: "keyway.sqlite is empty")
            }
            return
        }
        switch errno {
        case ENOENT where stat(folder, &status) == 0:
            throw KeyStoreError(.missingStore, place: folder, reason: "the folder has no keyway.sqlite")
        case ENOENT: throw KeyStoreError(.missingStore, place: folder, reason: "there is no such folder")
        case ENOTDIR: throw KeyStoreError(.missingStore, place: folder, reason: "it is not a folder")
        default: throw .system("open", folder)
        }
    }

    /// The database of a data folder.
    static func database(inFolder folder: String) -> String { folder + "/keyway.sqlite" }

    /// The keys of the database in a folder, which is created where that is wanted.
    private static func prepare(
        _ folder: String,
        _ source: KeyEncryptionKeySource,
        _ creating: StoreCreation
    ) throws(KeyStoreError) -> (KeyEncryptionKeyRing, isNew: Bool) {
        let database = database(inFolder: folder)
        // A link that leads nowhere is there: it is refused and not replaced.
        var status = stat()
        let isMissing = lstat(database, &status) != 0 && errno == ENOENT
        if creating == .always, !isMissing { throw .exists(folder) }
        if creating == .never, isMissing { try requireDatabase(inFolder: folder) }
        let keys = try source.keys(inFolder: folder, mayCreate: isMissing)
        let ring = try KeyEncryptionKeyRing(keys) { () throws(KeyStoreError) in
            try source.keys(inFolder: folder, mayCreate: false)
        }
        guard isMissing else { return (ring, false) }
        let draft = try AtomicFile(for: database)
        defer { draft.remove() }
        try SQLiteKeyStore(path: draft.path, keys: ring).close()
        try draft.publish()
        return (ring, true)
    }
}

/// The data folder while a database is opened or replaced in it: two first starts at once would make two keys and run
/// the migrations twice.
struct DataFolderLock {
    private let path: String
    private let descriptor: Int32
    /// Whether the folder was created for this.
    private let isNew: Bool

    /// Checks whose folder it is, and waits for its lock.
    ///
    /// - Parameter mayCreate: Whether the folder is created where it is missing.
    init(_ folder: String, mayCreate: Bool = true) throws(KeyStoreError) {
        path = folder
        isNew = mayCreate && mkdir(folder, 0o700) == 0
        if mayCreate, !isNew, errno != EEXIST { throw .system("create the folder", folder) }
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open", folder) }
        do { try Self.lock(descriptor, folder) } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Closing the folder gives up its lock.
    func release() { Glibc.close(descriptor) }

    /// Removes the folder if it was created for what has failed, unless there is something in it by now. The lock stays.
    func abandon() { if isNew { rmdir(path) } }

    private static func lock(_ descriptor: Int32, _ folder: String) throws(KeyStoreError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("fstat", folder) }
        guard status.st_uid == geteuid() else {
            throw KeyStoreError(
                .unsafePermissions,
                place: folder,
                reason: "the data folder belongs to user \(status.st_uid), and this is run by user \(geteuid()); "
                    + "run it as the user of the server"
            )
        }
        guard status.st_mode & 0o022 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw KeyStoreError(
                .unsafePermissions,
                place: folder,
                reason: "others may write to the data folder (mode 0\(mode)); chmod go-w \(folder)"
            )
        }
        guard flock(descriptor, LOCK_EX) == 0 else { throw .system("flock", folder) }
    }
}
