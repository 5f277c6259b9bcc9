import GRDB
import KeyStore

/// The schema of a database: its version and its migrations.
enum SQLiteSchema {
    /// The application ID in every database of this program: "KyWy". `file` and `sqlite3` print it.
    static let applicationID = 0x4B79_5779
    /// The newest schema version that this program supports, as stored in `user_version`.
    static let version = 2

    /// Migrations are never changed after a release; a change of the tables appends a migration.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try SQLiteTables.create(db)
            try db.execute(sql: "PRAGMA user_version = 1")
        }
        migrator.registerMigration("2") { db in
            try db.execute(sql: SQLiteListIndexes.script + SQLiteHistoryTables.script)
            try db.execute(sql: "PRAGMA user_version = 2")
        }
        return migrator
    }

    /// Returns the schema version of a database of this program, 0 if it is new; nil for any other database.
    ///
    /// - Throws: ``KeyStoreError/Code/newerSchema`` or ``KeyStoreError/Code/unreleasedSchema`` if this program does not
    ///   support the schema.
    static func version(of db: Database, _ path: String) throws -> Int? {
        guard try Int.fetchOne(db, sql: "PRAGMA application_id") == applicationID else { return nil }
        // The development versions before the first release also counted their schemas from 1.
        guard try !db.tableExists(KeyStoreError.unreleasedTable) else { throw KeyStoreError.unreleasedSchema(path) }
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard found <= version else {
            throw KeyStoreError(
                .newerSchema,
                place: path,
                reason: "it has schema \(found), and this program supports schemas up to \(version)"
            )
        }
        return found
    }
}
