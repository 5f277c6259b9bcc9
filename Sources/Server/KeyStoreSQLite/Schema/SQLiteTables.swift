import FoundationEssentials
import GRDB
import KeyStore

/// The tables, indexes and triggers of a database.
///
/// The tables and columns are those of `PostgresTables`, except for a few that only one of the two databases needs.
/// Unless a comment states otherwise, times are Unix seconds, durations are seconds, and a column that may be NULL is
/// NULL if the value does not exist. Columns with encrypted values have a comment. All other columns are plaintext and
/// not authenticated, unless the encrypted values of their row are bound to them. Text that is compared as bytes, such
/// as accounts, is stored as bytes.
enum SQLiteTables {
    /// Creates the tables and their first rows.
    static func create(_ db: Database) throws {
        try db.execute(sql: encryption + catalog + certificates + licenses + requests + audit)
        for table in ["content", "title", "track", "policy"] {
            for change in ["INSERT", "UPDATE", "DELETE"] {
                try db.execute(
                    sql: """
                        CREATE TRIGGER \(table)_\(change.lowercased()) AFTER \(change) ON \(table)
                        BEGIN UPDATE catalog SET version = version + 1; END
                        """
                )
            }
        }
        let head = AuditHead(startOf: AuditHead.newNode())
        try db.execute(
            sql: "INSERT INTO audit_head (id, node, sequence, hash) VALUES (1, ?, ?, ?)",
            arguments: [head.node.data, head.sequence, head.hash.data]
        )
    }

    private static let encryption = """
        -- One row: the ID of the key-encryption key of all encrypted columns, and a secret of this database.
        CREATE TABLE encryption (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            kek_id BLOB NOT NULL CHECK (length(kek_id) = 8),
            device_hash_key BLOB NOT NULL -- encrypted; the key of the hashes of devices and requests
        ) STRICT;

        -- At most one row, which is rewritten to find out whether the database can be written.
        CREATE TABLE write_probe (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            content BLOB NOT NULL
        ) STRICT;

        """

    private static let catalog = """
        -- A license policy: a JSON document.
        CREATE TABLE policy (
            name TEXT NOT NULL PRIMARY KEY,
            document BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- A title: a movie or a channel.
        CREATE TABLE title (
            name TEXT NOT NULL PRIMARY KEY,
            title_id BLOB NOT NULL CHECK (length(title_id) = 16),
            policy_name TEXT REFERENCES policy (name) ON DELETE RESTRICT ON UPDATE RESTRICT,
            key_uri_template TEXT,
            created INTEGER NOT NULL,
            updated INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX title_by_policy ON title (policy_name);

        -- A track of a title, such as its HD video.
        CREATE TABLE track (
            title_name TEXT NOT NULL REFERENCES title (name) ON DELETE RESTRICT ON UPDATE RESTRICT,
            name TEXT NOT NULL,
            kind TEXT NOT NULL,
            stream_id BLOB NOT NULL CHECK (length(stream_id) = 16),
            policy_name TEXT REFERENCES policy (name) ON DELETE RESTRICT ON UPDATE RESTRICT,
            PRIMARY KEY (title_name, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX track_by_policy ON track (policy_name);

        -- A content key with its asset: a key period of a track, or an asset that belongs to no title.
        CREATE TABLE content (
            asset_id BLOB NOT NULL PRIMARY KEY CHECK (length(asset_id) BETWEEN 2 AND 200),
            key_id BLOB CHECK (length(key_id) = 16),
            content_key BLOB NOT NULL, -- encrypted, bound to asset_id
            iv BLOB NOT NULL CHECK (length(iv) = 16),
            track_kind TEXT NOT NULL,
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
        CREATE INDEX content_by_policy ON content (policy_name);
        CREATE UNIQUE INDEX content_by_key_id ON content (key_id);
        CREATE INDEX content_by_track ON content (title_name, track_name, ifnull(valid_from, -1), asset_id);

        -- The schedule by which the key periods of a live channel are created.
        CREATE TABLE channel (
            title_name TEXT NOT NULL PRIMARY KEY REFERENCES title (name) ON DELETE RESTRICT ON UPDATE RESTRICT,
            period_length INTEGER NOT NULL,
            ahead INTEGER NOT NULL, -- how long before its start a period is created
            starts INTEGER,
            is_paused INTEGER NOT NULL CHECK (is_paused IN (0, 1)),
            created INTEGER NOT NULL,
            updated INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- A track of a channel.
        CREATE TABLE channel_track (
            title_name TEXT NOT NULL REFERENCES channel (title_name) ON DELETE CASCADE,
            track_name TEXT NOT NULL,
            PRIMARY KEY (title_name, track_name),
            FOREIGN KEY (title_name, track_name) REFERENCES track (title_name, name)
                ON DELETE RESTRICT ON UPDATE RESTRICT
        ) STRICT, WITHOUT ROWID;

        -- One row: a number that triggers increase with every change of content, titles, tracks and policies, by any
        -- process, so that a transaction can check whether a cached lookup is current.
        CREATE TABLE catalog (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            version INTEGER NOT NULL
        ) STRICT;
        INSERT INTO catalog (id, version) VALUES (1, 0);

        """

    private static let certificates = """
        -- A certificate bundle: the FPS certificate of an app, its private key, and the source of DASk.
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

        -- A token of an administrator or a program.
        CREATE TABLE admin_token (
            name TEXT NOT NULL PRIMARY KEY,
            role TEXT NOT NULL,
            hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
            created INTEGER NOT NULL,
            last_used_day INTEGER -- days since 1970
        ) STRICT, WITHOUT ROWID;

        """

    // Nothing here is encrypted: hashes, times, names, and CKCs, which only a device with the session key can decrypt.
    // A challenge is not secret once it is issued; it can only be used once. A client is a byte for the kind, then the
    // hash of a device or a session ID.

    private static let licenses = """
        -- A lease: a client of an account has a key, which counts as a simultaneous stream until it expires.
        CREATE TABLE lease (
            account BLOB NOT NULL CHECK (length(account) BETWEEN 1 AND 200),
            client BLOB NOT NULL CHECK (length(client) IN (9, 17)),
            session_id INTEGER,
            asset_id BLOB NOT NULL, -- the asset that was last requested
            since INTEGER NOT NULL,
            until INTEGER NOT NULL,
            purpose TEXT NOT NULL,
            ended INTEGER, -- when an admin ended it
            PRIMARY KEY (account, client)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX lease_by_until ON lease (until);

        -- A session that an admin ended, which gets no more keys.
        CREATE TABLE ended_session (
            account BLOB NOT NULL CHECK (length(account) BETWEEN 1 AND 200),
            client BLOB NOT NULL CHECK (length(client) IN (9, 17)),
            session BLOB NOT NULL CHECK (length(session) IN (0, 8)), -- the session ID, big-endian; empty without one
            expires INTEGER NOT NULL,
            PRIMARY KEY (account, client, session)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX ended_session_by_expiry ON ended_session (expires);

        -- A device that counts as one of an account.
        CREATE TABLE device (
            account BLOB NOT NULL CHECK (length(account) BETWEEN 1 AND 200),
            device BLOB NOT NULL CHECK (length(device) = 16),
            device_class TEXT,
            first_seen INTEGER NOT NULL,
            last_seen INTEGER NOT NULL,
            PRIMARY KEY (account, device)
        ) STRICT, WITHOUT ROWID;

        -- A rental that has started, and the client of its first license.
        CREATE TABLE rental (
            account BLOB NOT NULL CHECK (length(account) BETWEEN 1 AND 200),
            subject BLOB NOT NULL CHECK (length(subject) BETWEEN 2 AND 201), -- kind, then a title name or an asset ID
            starts INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            client BLOB NOT NULL CHECK (length(client) IN (9, 17)),
            PRIMARY KEY (account, subject)
        ) STRICT, WITHOUT ROWID;

        -- A persistent key on a device.
        CREATE TABLE offline_license (
            account BLOB NOT NULL CHECK (length(account) BETWEEN 1 AND 200),
            device BLOB NOT NULL CHECK (length(device) = 16),
            stream_id BLOB NOT NULL CHECK (length(stream_id) = 16),
            title_id BLOB CHECK (length(title_id) = 16),
            asset_id BLOB NOT NULL,
            granted INTEGER NOT NULL,
            storage_until INTEGER, -- the end of the storage duration; NULL means never
            playback_duration INTEGER, -- NULL means unlimited
            until INTEGER, -- NULL means that it can always be played
            first_play_seen INTEGER, -- when a report revealed first play
            reported INTEGER, -- the last report
            end_reason TEXT,
            ended INTEGER,
            PRIMARY KEY (account, device, stream_id)
        ) STRICT, WITHOUT ROWID;

        """

    private static let requests = """
        -- A request that was answered, and its response for retries. The number is the order of arrival: the keys are
        -- random, and a sequential primary key fills page by page.
        CREATE TABLE replay (
            number INTEGER NOT NULL PRIMARY KEY,
            key BLOB NOT NULL UNIQUE CHECK (length(key) = 32), -- keyed hash of the request
            retry_until INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            ckc BLOB, -- NULL some time after retry_until
            is_persistable INTEGER NOT NULL,
            has_dual_expiry INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX replay_by_expiry ON replay (expires);
        CREATE INDEX replay_by_retry ON replay (retry_until) WHERE ckc IS NOT NULL;

        -- The account, client and session that a single-use token belongs to.
        CREATE TABLE token_binding (
            token BLOB NOT NULL PRIMARY KEY CHECK (length(token) = 32), -- hash of the token's issuer and ID
            account BLOB NOT NULL,
            client BLOB NOT NULL CHECK (length(client) IN (9, 17)),
            session_id INTEGER,
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX token_binding_by_expiry ON token_binding (expires);

        -- A challenge for a Sync SPC that was issued and not used.
        CREATE TABLE challenge (
            challenge INTEGER NOT NULL PRIMARY KEY,
            account BLOB NOT NULL,
            expires INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX challenge_by_expiry ON challenge (expires);

        -- The fingerprint of an SPC. The number is the order of arrival: the oldest rows beyond a limit are deleted.
        CREATE TABLE spc (
            number INTEGER NOT NULL PRIMARY KEY,
            key BLOB NOT NULL UNIQUE CHECK (length(key) = 16), -- hash of the RSA block
            digest BLOB NOT NULL CHECK (length(digest) = 16), -- hash of the whole message
            expires INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX spc_by_expiry ON spc (expires);

        -- A fact that a device has reported against itself.
        CREATE TABLE device_report (
            device BLOB NOT NULL CHECK (length(device) = 16),
            fact TEXT NOT NULL,
            value INTEGER NOT NULL, -- a lower value is worse for the device
            until INTEGER NOT NULL,
            PRIMARY KEY (device, fact)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX device_report_by_until ON device_report (until);

        """

    private static let audit = """
        -- One row: the last link of the audit log's hash chain.
        CREATE TABLE audit_head (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            node BLOB NOT NULL CHECK (length(node) = 8),
            sequence INTEGER NOT NULL,
            hash BLOB NOT NULL CHECK (length(hash) = 32)
        ) STRICT;

        -- An entry of the audit log: a request or a change by an admin, and its link of the hash chain.
        CREATE TABLE audit (
            number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            node BLOB NOT NULL CHECK (length(node) = 8),
            sequence INTEGER NOT NULL,
            hash BLOB NOT NULL CHECK (length(hash) = 32),
            milliseconds INTEGER NOT NULL, -- when the request arrived, in Unix milliseconds
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
            microseconds INTEGER NOT NULL, -- the time that the server needed
            account TEXT
        ) STRICT;
        """
}
