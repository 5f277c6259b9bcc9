import GRDB
import Glibc
package import KeyStore

extension SQLiteKeyStore {
    /// Puts a backup into a data folder, after it was checked: that it is whole, a database of this program, of a
    /// version that this program knows, and that the key-encryption key opens it. It is brought to the newest version.
    /// Whatever is thrown, the folder's database is as it was.
    ///
    /// - Parameters:
    ///   - backup: What ``backup(to:)`` made. It is only read.
    ///   - source: Where the key-encryption key is; it must be there already.
    ///   - replacing: Whether a database that is there may be replaced. No process may have it open.
    /// - Throws: ``KeyStoreError`` with the codes `conflict` when there is a database and `replacing` is false, `locked`
    ///   when it is in use, `corrupt`, `foreignDatabase`, `newerSchema`, `missingKEK`, `wrongKEK`, `unavailable`.
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
        let isThere = access(database, F_OK) == 0
        guard !isThere || replacing else { throw .exists(database) }
        var status = stat()
        if stat(backup + "-wal", &status) == 0, status.st_size > 0 {
            throw KeyStoreError(
                .foreignDatabase,
                place: backup,
                reason: "it is a database in use, not a backup: the newest of it is in another file"
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
        if isThere { try retire(database) }
        // A log without its database must not be taken for the new one's.
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
                guard let version = try Schema.version(of: db, backup), version > 0 else {
                    throw KeyStoreError(.foreignDatabase, place: backup, reason: "it is no backup of this program")
                }
                let integrity = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)")
                let orphan = try Row.fetchOne(db, sql: "PRAGMA foreign_key_check")
                guard integrity == "ok", orphan == nil else {
                    throw KeyStoreError(.corrupt, place: backup, reason: "SQLite's integrity check fails")
                }
            }
            try queue.close()
        }
    }

    /// Takes the database out of use: SQLite gives up the write-ahead log only when no other connection is open.
    private static func retire(_ database: String) throws(KeyStoreError) {
        do {
            let queue = try DatabaseQueue(path: database)
            _ = try queue.writeWithoutTransaction { db in
                try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            }
            try queue.close()
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            throw KeyStoreError(.locked, place: database, reason: "a process has it open: stop the server first")
        } catch {
            // Damaged, or no database: then it is replaced for a reason.
        }
    }
}
