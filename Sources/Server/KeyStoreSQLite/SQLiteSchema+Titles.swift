import GRDB

extension SQLiteSchema {
    /// Titles, tracks, key periods and tokens for administration.
    static func registerTitles(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("3") { db in
            try db.execute(sql: titleTables)
            try db.execute(sql: "PRAGMA user_version = 3")
        }
    }

    // SQLite cannot add a foreign key over two columns to an existing table, so `content` is recreated. Key IDs had no
    // meaning in older schemas and were not unique: the first asset with a key ID retains it.
    private static let titleTables = """
        CREATE TABLE title (
            name TEXT NOT NULL PRIMARY KEY,
            title_id BLOB NOT NULL CHECK (length(title_id) = 16),
            policy_name TEXT REFERENCES policy (name) ON DELETE RESTRICT ON UPDATE RESTRICT,
            key_uri_template TEXT,
            created INTEGER NOT NULL,
            updated INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX title_by_policy ON title (policy_name);

        CREATE TABLE track (
            title_name TEXT NOT NULL REFERENCES title (name) ON DELETE RESTRICT ON UPDATE RESTRICT,
            name TEXT NOT NULL,
            kind TEXT NOT NULL,
            stream_id BLOB NOT NULL CHECK (length(stream_id) = 16),
            policy_name TEXT REFERENCES policy (name) ON DELETE RESTRICT ON UPDATE RESTRICT,
            PRIMARY KEY (title_name, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX track_by_policy ON track (policy_name);

        CREATE TABLE content_with_periods (
            asset_id BLOB NOT NULL PRIMARY KEY CHECK (length(asset_id) BETWEEN 2 AND 200),
            key_id BLOB CHECK (length(key_id) = 16),
            content_key BLOB NOT NULL, -- encrypted, bound to asset_id
            iv BLOB NOT NULL CHECK (length(iv) = 16),
            track TEXT NOT NULL,
            policy_name TEXT REFERENCES policy (name) ON DELETE RESTRICT ON UPDATE RESTRICT,
            stream_id BLOB CHECK (length(stream_id) = 16),
            title_id BLOB CHECK (length(title_id) = 16),
            title_name TEXT,
            track_name TEXT,
            valid_from INTEGER CHECK (valid_from >= 0),
            valid_until INTEGER CHECK (valid_until >= 0),
            created INTEGER NOT NULL,
            updated INTEGER NOT NULL,
            CHECK ((title_name IS NULL) = (track_name IS NULL)),
            FOREIGN KEY (title_name, track_name) REFERENCES track (title_name, name)
                ON DELETE RESTRICT ON UPDATE RESTRICT
        ) STRICT, WITHOUT ROWID;
        INSERT INTO content_with_periods (asset_id, key_id, content_key, iv, track, policy_name, stream_id, title_id,
                created, updated)
            SELECT asset_id,
                iif(row_number() OVER (PARTITION BY key_id ORDER BY created, asset_id) = 1, key_id, NULL),
                content_key, iv, track, policy_name, stream_id, title_id, created, updated
            FROM content;
        DROP TABLE content;
        ALTER TABLE content_with_periods RENAME TO content;
        CREATE INDEX content_by_policy ON content (policy_name);
        CREATE UNIQUE INDEX content_by_key_id ON content (key_id);
        CREATE INDEX content_by_track ON content (title_name, track_name, ifnull(valid_from, -1), asset_id);

        CREATE TABLE admin_token (
            name TEXT NOT NULL PRIMARY KEY,
            role TEXT NOT NULL,
            hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
            created INTEGER NOT NULL,
            last_used_day INTEGER
        ) STRICT, WITHOUT ROWID;
        """
}
