import GRDB
import KeyStore

/// From schema 1 to 2: granted licenses, and the hash chain of the audit log.
enum SQLiteSchema2 {
    static func migrate(_ db: Database) throws {
        try db.execute(sql: tables)
        try chainAudit(db)
        try db.execute(sql: "PRAGMA user_version = 2")
    }

    // Nothing here is encrypted: hashes, times, names, and CKCs, which only a device with the session key can decrypt.
    // A challenge is not secret once it is issued; it only has to be used at most once. Times are Unix seconds.
    // Accounts and places are bytes, so that they compare as bytes.
    private static let tables = """
        CREATE TABLE lease (
            account BLOB NOT NULL CHECK (length(account) BETWEEN 1 AND 200),
            place BLOB NOT NULL CHECK (length(place) IN (9, 17)), -- kind, then session ID or hash of the device
            session_id INTEGER,
            asset_id BLOB NOT NULL,
            since INTEGER NOT NULL,
            until INTEGER NOT NULL,
            purpose TEXT NOT NULL,
            ended INTEGER,
            PRIMARY KEY (account, place)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX lease_by_until ON lease (until);

        CREATE TABLE device (
            account BLOB NOT NULL CHECK (length(account) BETWEEN 1 AND 200),
            device BLOB NOT NULL CHECK (length(device) = 16),
            device_class TEXT,
            first_seen INTEGER NOT NULL,
            last_seen INTEGER NOT NULL,
            PRIMARY KEY (account, device)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE rental (
            account BLOB NOT NULL CHECK (length(account) BETWEEN 1 AND 200),
            subject BLOB NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
            start INTEGER NOT NULL,
            end INTEGER NOT NULL,
            place BLOB NOT NULL CHECK (length(place) IN (9, 17)),
            PRIMARY KEY (account, subject)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE offline_license (
            account BLOB NOT NULL CHECK (length(account) BETWEEN 1 AND 200),
            device BLOB NOT NULL CHECK (length(device) = 16),
            stream_id BLOB NOT NULL CHECK (length(stream_id) = 16),
            title_id BLOB CHECK (length(title_id) = 16),
            asset_id BLOB NOT NULL,
            granted INTEGER NOT NULL,
            storage_until INTEGER,
            playback INTEGER,
            until INTEGER,
            first_play_seen INTEGER,
            reported INTEGER,
            end TEXT,
            ended INTEGER,
            PRIMARY KEY (account, device, stream_id)
        ) STRICT, WITHOUT ROWID;

        -- The keys are random. A sequential primary key stores rows in the order of arrival, which fills page by page.
        CREATE TABLE replay (
            number INTEGER NOT NULL PRIMARY KEY,
            key BLOB NOT NULL UNIQUE CHECK (length(key) = 32),
            retry_until INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            ckc BLOB, -- NULL some time after retry_until
            is_persistable INTEGER NOT NULL,
            has_dual_expiry INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX replay_by_expiry ON replay (expires);
        CREATE INDEX replay_answer ON replay (retry_until) WHERE ckc IS NOT NULL;

        CREATE TABLE token_binding (
            token BLOB NOT NULL PRIMARY KEY CHECK (length(token) = 32),
            account BLOB NOT NULL,
            place BLOB NOT NULL CHECK (length(place) IN (9, 17)),
            session_id INTEGER,
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX token_binding_by_expiry ON token_binding (expires);

        CREATE TABLE challenge (
            challenge INTEGER NOT NULL PRIMARY KEY,
            account BLOB NOT NULL,
            expires INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX challenge_by_expiry ON challenge (expires);

        CREATE TABLE audit_node (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            node BLOB NOT NULL CHECK (length(node) = 8),
            sequence INTEGER NOT NULL,
            hash BLOB NOT NULL CHECK (length(hash) = 32)
        ) STRICT;

        ALTER TABLE audit RENAME TO audit_1;
        CREATE TABLE audit (
            number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            node BLOB NOT NULL CHECK (length(node) = 8),
            sequence INTEGER NOT NULL,
            hash BLOB NOT NULL CHECK (length(hash) = 32),
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
            microseconds INTEGER NOT NULL,
            account TEXT
        ) STRICT;
        """

    private static let recordColumns = """
        milliseconds, route, outcome, detail, transaction_id, session_id, asset_id, device, device_class, \
        bundle_name, policy_name, request_id, remote_address, microseconds
        """

    /// Computes the chain links of the existing entries, with a new node ID for this store.
    private static func chainAudit(_ db: Database) throws {
        var head = AuditHead(startOf: AuditHead.newNode())
        let copy = try db.makeStatement(
            sql: """
                INSERT INTO audit (number, node, sequence, hash, \(recordColumns))
                SELECT number, ?, ?, ?, \(recordColumns) FROM audit_1 WHERE number = ?
                """
        )
        let rows = try Row.fetchCursor(db, sql: "SELECT number, \(recordColumns) FROM audit_1 ORDER BY number")
        while let row = try rows.next() {
            head = head.appending(SQLiteAuditRow.record(row, from: 1))
            try copy.execute(arguments: [head.node.data, head.sequence, head.hash.data, row[0] as Int64])
        }
        try db.execute(sql: "DROP TABLE audit_1")
        try db.execute(
            sql: "INSERT INTO audit_node (id, node, sequence, hash) VALUES (1, ?, ?, ?)",
            arguments: [head.node.data, head.sequence, head.hash.data]
        )
    }
}
