import Glibc
public import KeyStore

extension SQLiteKeyStore {
    /// Opens the store in a data folder, and creates both where they are missing: the folder with mode 0700, in it
    /// `keyway.sqlite` and, if the key is to come from the folder, `kek`, with mode 0600.
    ///
    /// A missing key is never replaced by a new one once there is a database: what that holds would be lost.
    ///
    /// - Throws: ``KeyStoreError`` with the codes `unsafePermissions`, `missingKEK`, `malformedKEK`, `wrongKEK`,
    ///   `foreignDatabase`, `newerSchema`, `locked`, `unavailable`.
    public convenience init(dataFolder folder: String, key source: KeyEncryptionKeySource) throws(KeyStoreError) {
        let lock = try DataFolderLock(folder)
        defer { lock.release() }
        let database = folder + "/keyway.sqlite"
        let keys = try source.keys(inFolder: folder, mayCreate: access(database, F_OK) != 0)
        let ring = try KeyRing(keys) { () throws(KeyStoreError) in try source.keys(inFolder: folder, mayCreate: false) }
        try self.init(path: database, keys: ring)
    }
}

/// The data folder while a database is opened or replaced in it: two first starts at once would make two keys and run
/// the migrations twice.
struct DataFolderLock {
    private let descriptor: Int32

    /// Makes the folder if it is missing, checks whose it is, and waits for its lock.
    init(_ folder: String) throws(KeyStoreError) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .system("mkdir", folder) }
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open", folder) }
        do { try Self.lock(descriptor, folder) } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Closing the folder gives up its lock.
    func release() { Glibc.close(descriptor) }

    private static func lock(_ descriptor: Int32, _ folder: String) throws(KeyStoreError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("fstat", folder) }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw KeyStoreError(
                .unsafePermissions,
                place: folder,
                reason: "the data folder must belong to the server's own user, and nobody else may write to it"
            )
        }
        guard flock(descriptor, LOCK_EX) == 0 else { throw .system("flock", folder) }
    }
}
