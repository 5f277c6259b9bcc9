import GRDB
import Glibc
package import KeyStore

extension SQLiteKeyStore {
    /// Restores a backup into a data folder after checking it: the backup must be intact, it must be a database of this
    /// program with a supported version, and the key-encryption key must decrypt it. The backup is then migrated to the
    /// newest schema. After an error, the folder's database is unchanged.
    ///
    /// - Parameters:
    ///   - backup: A file written by ``backup(to:)``. It is only read.
    ///   - folder: The data folder.
    ///   - source: The source of the key-encryption key, which must already exist.
    ///   - replacing: Whether an existing database may be replaced. No process may have it open.
    /// - Throws: ``KeyStoreError`` with the codes `conflict` if a database exists and `replacing` is false, `locked` if
    ///   it is in use, `corrupt`, `foreignDatabase`, `newerSchema`, `unreleasedSchema`, `missingKEK`, `wrongKEK`,
    ///   `unavailable`.
    package static func restore(
        from backup: String,
        dataFolder folder: String,
        key source: KeyEncryptionKeySource,
        replacing: Bool
    ) throws(KeyStoreError) {
        let lock = try DataFolderLock(folder)
        defer { lock.release() }
        do throws(KeyStoreError) {
            try restore(backup, into: folder, source, replacing)
        } catch {
            lock.abandon()
            throw error
        }
    }

    private static func restore(
        _ backup: String,
        into folder: String,
        _ source: KeyEncryptionKeySource,
        _ replacing: Bool
    ) throws(KeyStoreError) {
        let database = folder + "/keyway.sqlite"
        let alreadyExists = access(database, F_OK) == 0
        guard !alreadyExists || replacing else { throw .exists(database) }
        var status = stat()
        if stat(backup + "-wal", &status) == 0, status.st_size > 0 {
            throw KeyStoreError(
                .foreignDatabase,
                place: backup,
                reason: "it is a database in use, not a backup: it has a write-ahead log (-wal)"
            )
        }
        let keys = try source.keys(inFolder: folder, mayCreate: false)
        let draft = try AtomicFile(for: database)
        defer { draft.remove() }
        try draft.copy(from: backup)
        try check(draft.path, of: backup)
        let ring = try KeyEncryptionKeyRing(keys) { () throws(KeyStoreError) in keys }
        try SQLiteKeyStore(path: draft.path, keys: ring).close()
        try draft.synchronize()
        if alreadyExists { try removeWriteAheadLog(database) }
        // Delete logs of the old database, so that SQLite does not apply them to the new one.
        for suffix in ["-wal", "-shm", "-journal"] where unlink(database + suffix) != 0 && errno != ENOENT {
            throw .system("unlink", database + suffix)
        }
        try draft.replace()
    }

    private static func check(_ path: String, of backup: String) throws(KeyStoreError) {
        try translatingErrors(in: backup) {
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { db in
                guard let version = try SQLiteSchema.version(of: db, backup), version > 0 else {
                    throw KeyStoreError(.foreignDatabase, place: backup, reason: "it is not a backup of keyway-server")
                }
                let integrity = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)")
                let orphan = try Row.fetchOne(db, sql: "PRAGMA foreign_key_check")
                guard integrity == "ok", orphan == nil else {
                    throw KeyStoreError(.corrupt, place: backup, reason: "SQLite's integrity check failed")
                }
            }
            try queue.close()
        }
    }

    /// Removes the write-ahead log of the database to be replaced. SQLite does so only when no other connection is
    /// open.
    private static func removeWriteAheadLog(_ database: String) throws(KeyStoreError) {
        do {
            let queue = try DatabaseQueue(path: database)
            _ = try queue.writeWithoutTransaction { db in
                try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            }
            try queue.close()
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            throw KeyStoreError(.locked, place: database, reason: "a process has it open: stop the server first")
        } catch {
            // The database is damaged, or is not a database: replacing it is the operator's intention.
        }
    }
}
