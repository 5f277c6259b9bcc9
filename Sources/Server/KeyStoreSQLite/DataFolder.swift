import Glibc
package import KeyStore

extension SQLiteKeyStore {
    /// Opens the store in a data folder, and creates it if it is missing and `creating` allows it: the folder with mode
    /// 0700, the database `keyway.sqlite` in it, which appears complete or not at all, and, if the key source is the
    /// folder, the key `kek` with mode 0600.
    ///
    /// If the database exists, a missing key is never replaced by a new one, because the data could then not be
    /// decrypted.
    ///
    /// - Throws: ``KeyStoreError`` with the codes `missingStore`, `conflict`, `unsafePermissions`, `missingKEK`,
    ///   `malformedKEK`, `wrongKEK`, `foreignDatabase`, `newerSchema`, `unreleasedSchema`, `locked`, `unavailable`.
    package convenience init(
        dataFolder folder: String,
        key source: KeyEncryptionKeySource,
        creating: StoreCreation = .ifMissing
    ) throws(KeyStoreError) {
        // Checked before the lock, which is only for data folders.
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

    /// Checks that a data folder contains a database.
    ///
    /// - Throws: ``KeyStoreError/Code/missingStore`` if it does not, ``KeyStoreError/Code/unavailable`` if that cannot
    ///   be determined.
    package static func requireDatabase(inFolder folder: String) throws(KeyStoreError) {
        var status = stat()
        if lstat(database(inFolder: folder), &status) == 0 {
            // A file that SQLite has not written to yet is not a database.
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

    /// Returns the path of a data folder's database.
    static func database(inFolder folder: String) -> String { folder + "/keyway.sqlite" }

    /// Returns the keys of the database in a folder, and creates the database if allowed.
    private static func prepare(
        _ folder: String,
        _ source: KeyEncryptionKeySource,
        _ creating: StoreCreation
    ) throws(KeyStoreError) -> (KeyEncryptionKeyRing, isNew: Bool) {
        let database = database(inFolder: folder)
        // A dangling link counts as an existing file: opening it fails, and it is not replaced.
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

/// A lock on the data folder while a database is opened or replaced in it. Without it, two servers that start at the
/// same time would create two keys and run the migrations twice.
struct DataFolderLock {
    private let path: String
    private let descriptor: Int32
    /// True if the initializer created the folder.
    private let isNew: Bool

    /// Checks the folder's owner and mode, and waits for its lock.
    ///
    /// - Parameter mayCreate: Whether to create the folder if it is missing.
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

    /// Closes the folder, which releases its lock.
    func release() { Glibc.close(descriptor) }

    /// Removes the folder after a failure if the initializer created it, unless it contains files. The lock stays.
    func abandon() { if isNew { rmdir(path) } }

    /// Checks the folder's owner and mode, without its lock.
    static func check(_ folder: String) throws(KeyStoreError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open", folder) }
        defer { Glibc.close(descriptor) }
        try check(descriptor, folder)
    }

    private static func lock(_ descriptor: Int32, _ folder: String) throws(KeyStoreError) {
        try check(descriptor, folder)
        guard flock(descriptor, LOCK_EX) == 0 else { throw .system("flock", folder) }
    }

    private static func check(_ descriptor: Int32, _ folder: String) throws(KeyStoreError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("fstat", folder) }
        guard status.st_uid == geteuid() else {
            throw KeyStoreError(
                .unsafePermissions,
                place: folder,
                reason: "the data folder belongs to user \(status.st_uid), but this process runs as user \(geteuid()); "
                    + "run it as the user of the server"
            )
        }
        guard status.st_mode & 0o022 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw KeyStoreError(
                .unsafePermissions,
                place: folder,
                reason: "other users can write to the data folder (mode 0\(mode)); chmod go-w \(folder)"
            )
        }
    }
}
