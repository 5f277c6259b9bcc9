import GRDB
import Glibc
import KeyStore

/// Opens the file, checks that it is a database of this program, and configures SQLite.
enum DatabaseFile {
    static func open(_ path: String) throws(KeyStoreError) -> DatabasePool {
        try prepare(path)
        return try translatingErrors(in: path) {
            let pool = try DatabasePool(path: path, configuration: configuration(path))
            // GRDB lowers `synchronous` when it enables the write-ahead log, after `prepareDatabase` has run.
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try require("2", of: "synchronous", db, path)
                try require("1", of: "foreign_keys", db, path)
                try require("wal", of: "journal_mode", db, path)
            }
            try SQLiteSchema.migrator.migrate(pool)
            return pool
        }
    }

    /// Creates the file with mode 0600 before SQLite can create it with another mode. SQLite gives the write-ahead log
    /// and the shared memory the mode of the database.
    private static func prepare(_ path: String) throws(KeyStoreError) {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard file >= 0 else { throw .system("open", path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system("fstat", path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw KeyStoreError(
                .unsafePermissions,
                place: path,
                reason: "the database must be a regular file owned by the server's user"
            )
        }
        guard fchmod(file, 0o600) == 0 else { throw .system("fchmod", path) }
    }

    private static func configuration(_ path: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = "keyway"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.persistentReadOnlyConnections = true
        configuration.prepareDatabase { db in
            // A tampered schema must not call functions, and freed pages must not contain deleted data.
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try db.execute(sql: "PRAGMA secure_delete = ON")
            try db.execute(sql: "PRAGMA cell_size_check = ON")
            if !db.configuration.readonly { try claim(db, path) }
        }
        return configuration
    }

    /// Marks an empty database as this program's, and rejects a database of another program or a newer version. This
    /// precedes every write to the database, including that of the journal mode.
    private static func claim(_ db: Database, _ path: String) throws {
        if try SQLiteSchema.version(of: db, path) != nil { return }
        let applicationID = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        guard applicationID == 0, version == 0, tables == 0 else {
            throw KeyStoreError(
                .foreignDatabase,
                place: path,
                reason: "its application_id is \(applicationID), not \(SQLiteSchema.applicationID)"
            )
        }
        try db.execute(sql: "PRAGMA application_id = \(SQLiteSchema.applicationID)")
    }

    private static func require(_ expected: String, of pragma: String, _ db: Database, _ path: String) throws {
        let found = try String.fetchOne(db, sql: "PRAGMA \(pragma)")
        guard found == expected else {
            throw KeyStoreError(
                .unavailable,
                place: path,
                reason: "SQLite has set \(pragma) to \(found ?? "nothing"), not \(expected)"
            )
        }
    }
}
