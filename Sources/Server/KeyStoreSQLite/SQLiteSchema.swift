import GRDB
import KeyStore

/// The tables, and the migrations of older databases.
enum SQLiteSchema {
    /// The application ID in every database of this program: "KyWy". `file` and `sqlite3` print it.
    static let applicationID = 0x4B79_5779
    /// The newest schema version that this program supports, as stored in `user_version`.
    static let version = 7

    /// Migrations are never changed after a release; a change of the tables appends a migration.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: tables)
            try db.execute(sql: "PRAGMA user_version = 1")
        }
        migrator.registerMigration("2") { db in try SQLiteSchema2.migrate(db) }
        registerTitles(&migrator)
        migrator.registerMigration("4") { db in try Schema4.migrate(db) }
        migrator.registerMigration("5") { db in try CatalogVersion.migrate(db) }
        migrator.registerMigration("6") { db in try Schema6.migrate(db) }
        migrator.registerMigration("7") { db in try Schema7.migrate(db) }
        return migrator
    }

    /// Returns the schema version of a database of this program, 0 if it is new; nil for any other database.
    ///
    /// - Throws: ``KeyStoreError/Code/newerSchema`` if this program does not support the version.
    static func version(of db: Database, _ path: String) throws -> Int? {
        guard try Int.fetchOne(db, sql: "PRAGMA application_id") == applicationID else { return nil }
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

    // Comments mark the columns with encrypted values. All other columns are plaintext and not authenticated, unless
    // the encrypted values of their row are bound to them.
    private static let tables = """
        CREATE TABLE sealing (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            kek_id BLOB NOT NULL CHECK (length(kek_id) = 8),
            device_hash_key BLOB NOT NULL -- encrypted
        ) STRICT;

        CREATE TABLE policy (
            name TEXT NOT NULL PRIMARY KEY,
            document BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE content (
            asset_id BLOB NOT NULL PRIMARY KEY CHECK (length(asset_id) BETWEEN 2 AND 200),
            key_id BLOB CHECK (length(key_id) = 16),
            content_key BLOB NOT NULL, -- encrypted, bound to asset_id
            iv BLOB NOT NULL CHECK (length(iv) = 16),
            track TEXT NOT NULL,
            policy_name TEXT REFERENCES policy (name) ON DELETE RESTRICT ON UPDATE RESTRICT,
            stream_id BLOB CHECK (length(stream_id) = 16),
            title_id BLOB CHECK (length(title_id) = 16),
            created INTEGER NOT NULL,
            updated INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX content_by_policy ON content (policy_name);

        CREATE TABLE certificate_bundle (
            name TEXT NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL,
            certificate BLOB NOT NULL,
            scope BLOB, -- NULL means all content
            private_key_kind TEXT NOT NULL,
            private_key BLOB NOT NULL, -- encrypted, bound to all plaintext columns of the row
            dask_kind TEXT NOT NULL,
            dask_secret BLOB, -- encrypted, bound likewise
            plugin_path BLOB, -- encrypted, bound likewise: it is the path of code that will run
            plugin_configuration BLOB, -- encrypted, bound likewise
            provisioning_data BLOB -- encrypted, bound likewise
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE audit (
            number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            milliseconds INTEGER NOT NULL,
            route TEXT NOT NULL,
            outcome TEXT NOT NULL,
            detail TEXT,
            transaction_id INTEGER,
            session_id INTEGER,
            asset_id BLOB,
            device BLOB,
            device_class TEXT,
            bundle_name TEXT,
            policy_name TEXT,
            request_id TEXT,
            remote_address TEXT,
            microseconds INTEGER NOT NULL
        ) STRICT;
        """
}
