/// The tables, indexes and triggers of a store in PostgreSQL, in their own schema (namespace) `keyway`.
///
/// The tables and columns are those of `SQLiteTables`, except for a few that only one of the two databases needs. Bytes
/// are BYTEA, which compare as bytes; names are TEXT with the collation "C", so that lists have the same order
/// everywhere. Unless a comment states otherwise, times are Unix seconds, durations are seconds, and a column that may be
/// NULL is NULL if the value does not exist. Columns with encrypted values have a comment. All other columns are
/// plaintext and not authenticated, unless the encrypted values of their row are bound to them.
enum PostgresTables {
    /// The statements that create the tables and the rows that every database has.
    static let script = types + encryption + catalog + triggers + certificates + licenses + requests + audit + version

    private static let types = """
        CREATE DOMAIN label AS TEXT COLLATE "C";
        CREATE DOMAIN account AS BYTEA CHECK (length(VALUE) BETWEEN 1 AND 200);
        -- A byte for the kind, then the hash of a device or a session ID.
        CREATE DOMAIN client AS BYTEA CHECK (length(VALUE) IN (9, 17));
        CREATE DOMAIN device_hash AS BYTEA CHECK (length(VALUE) = 16);

        """

    private static let encryption = """
        -- One row: the ID of the key-encryption key of all encrypted columns, and a secret of this database.
        CREATE TABLE encryption (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            kek_id BYTEA NOT NULL CHECK (length(kek_id) = 8),
            device_hash_key BYTEA NOT NULL -- encrypted; the key of the hashes of devices and requests
        );

        -- Shows whether a transaction was committed when its connection was lost: see CommitMark.
        CREATE TABLE commit_mark (
            id BYTEA PRIMARY KEY CHECK (length(id) = 16),
            is_commit BOOLEAN NOT NULL,
            created TIMESTAMPTZ NOT NULL DEFAULT now()
        );
        CREATE INDEX commit_mark_by_age ON commit_mark (created);

        """

    private static let catalog = """
        -- A license policy: a JSON document.
        CREATE TABLE policy (
            name label PRIMARY KEY,
            document BYTEA NOT NULL
        );

        -- A title: a movie or a channel.
        CREATE TABLE title (
            name label PRIMARY KEY,
            title_id BYTEA NOT NULL CHECK (length(title_id) = 16),
            policy_name label REFERENCES policy (name),
            key_uri_template TEXT,
            created BIGINT NOT NULL,
            updated BIGINT NOT NULL
        );
        CREATE INDEX title_by_policy ON title (policy_name);

        -- A track of a title, such as its HD video.
        CREATE TABLE track (
            title_name label NOT NULL REFERENCES title (name),
            name label NOT NULL,
            kind TEXT NOT NULL,
            stream_id BYTEA NOT NULL CHECK (length(stream_id) = 16),
            policy_name label REFERENCES policy (name),
            PRIMARY KEY (title_name, name)
        );
        CREATE INDEX track_by_policy ON track (policy_name);

        -- A content key with its asset: a key period of a track, or an asset that belongs to no title.
        CREATE TABLE content (
            asset_id BYTEA PRIMARY KEY CHECK (length(asset_id) BETWEEN 2 AND 200),
            key_id BYTEA UNIQUE CHECK (length(key_id) = 16),
            content_key BYTEA NOT NULL, -- encrypted, bound to asset_id
            iv BYTEA NOT NULL CHECK (length(iv) = 16),
            track_kind TEXT NOT NULL,
            policy_name label REFERENCES policy (name),
            stream_id BYTEA CHECK (length(stream_id) = 16),
            title_id BYTEA CHECK (length(title_id) = 16),
            title_name label,
            track_name label,
            valid_from BIGINT CHECK (valid_from >= 0),
            valid_until BIGINT CHECK (valid_until >= 0),
            created BIGINT NOT NULL,
            updated BIGINT NOT NULL,
            CHECK ((title_name IS NULL) = (track_name IS NULL)),
            FOREIGN KEY (title_name, track_name) REFERENCES track (title_name, name)
        );
        CREATE INDEX content_by_policy ON content (policy_name);
        CREATE INDEX content_by_track ON content (title_name, track_name, coalesce(valid_from, -1), asset_id);

        -- The schedule by which the key periods of a live channel are created.
        CREATE TABLE channel (
            title_name label PRIMARY KEY REFERENCES title (name),
            period_length BIGINT NOT NULL,
            ahead BIGINT NOT NULL, -- how long before its start a period is created
            starts BIGINT,
            is_paused BOOLEAN NOT NULL,
            created BIGINT NOT NULL,
            updated BIGINT NOT NULL
        );

        -- A track of a channel.
        CREATE TABLE channel_track (
            title_name label NOT NULL REFERENCES channel (title_name) ON DELETE CASCADE,
            track_name label NOT NULL,
            PRIMARY KEY (title_name, track_name),
            FOREIGN KEY (title_name, track_name) REFERENCES track (title_name, name)
        );

        """

    private static let triggers = """
        -- One row: a number that grows with every transaction that changes content, titles, tracks or policies, on any
        -- server, so that a transaction can check whether a cached lookup is current.
        CREATE TABLE catalog (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            version BIGINT NOT NULL
        );
        INSERT INTO catalog VALUES (1, 0);

        -- Runs once, at the end of a transaction. The lock waits for grants that are based on the previous version, and
        -- blocks further grants until the new version is visible.
        CREATE FUNCTION catalog_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = keyway, pg_temp AS $$
        BEGIN
            IF current_setting('keyway.changed', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
                PERFORM set_config('keyway.changed', pg_current_xact_id()::text, true);
                PERFORM pg_advisory_xact_lock(\(GlobalLock.space), 2);
                UPDATE catalog SET version = version + 1;
            END IF;
            RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER policy_changed AFTER INSERT OR UPDATE OR DELETE ON policy
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION catalog_changed();
        CREATE CONSTRAINT TRIGGER title_changed AFTER INSERT OR UPDATE OR DELETE ON title
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION catalog_changed();
        CREATE CONSTRAINT TRIGGER track_changed AFTER INSERT OR UPDATE OR DELETE ON track
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION catalog_changed();
        CREATE CONSTRAINT TRIGGER content_changed AFTER INSERT OR UPDATE OR DELETE ON content
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION catalog_changed();

        """

    private static let certificates = """
        -- A certificate bundle: the FPS certificate of an app, its private key, and the source of DASk.
        CREATE TABLE certificate_bundle (
            name label PRIMARY KEY,
            kind TEXT NOT NULL,
            certificate BYTEA NOT NULL,
            scope BYTEA, -- NULL means all content
            private_key_kind TEXT NOT NULL,
            private_key BYTEA NOT NULL, -- encrypted, bound to all plaintext columns of the row
            dask_kind TEXT NOT NULL,
            dask_secret BYTEA, -- encrypted, bound likewise
            plugin_path BYTEA, -- encrypted, bound likewise: it is the path of code that will run
            plugin_configuration BYTEA, -- encrypted, bound likewise
            provisioning_data BYTEA -- encrypted, bound likewise
        );

        -- A token of an administrator or a program.
        CREATE TABLE admin_token (
            name label PRIMARY KEY,
            role TEXT NOT NULL,
            hash BYTEA NOT NULL UNIQUE CHECK (length(hash) = 32),
            created BIGINT NOT NULL,
            last_used_day BIGINT -- days since 1970
        );

        """

    // Nothing here is encrypted: hashes, times, names, and CKCs, which only a device with the session key can decrypt.
    // A challenge is not secret once it is issued; it can only be used once.

    private static let licenses = """
        -- A lease: a client of an account has a key, which counts as a simultaneous stream until it expires.
        CREATE TABLE lease (
            account account NOT NULL,
            client client NOT NULL,
            session_id BIGINT,
            asset_id BYTEA NOT NULL, -- the asset that was last requested
            since BIGINT NOT NULL,
            until BIGINT NOT NULL,
            purpose TEXT NOT NULL,
            ended BIGINT, -- when an admin ended it
            PRIMARY KEY (account, client)
        );
        CREATE INDEX lease_by_until ON lease (until);

        -- A session that an admin ended, which gets no more keys.
        CREATE TABLE ended_session (
            account account NOT NULL,
            client client NOT NULL,
            session BYTEA NOT NULL CHECK (length(session) IN (0, 8)), -- the session ID, big-endian; empty without one
            expires BIGINT NOT NULL,
            PRIMARY KEY (account, client, session)
        );
        CREATE INDEX ended_session_by_expiry ON ended_session (expires);

        -- A device that counts as one of an account.
        CREATE TABLE device (
            account account NOT NULL,
            device device_hash NOT NULL,
            device_class TEXT,
            first_seen BIGINT NOT NULL,
            last_seen BIGINT NOT NULL,
            PRIMARY KEY (account, device)
        );

        -- A rental that has started, and the client of its first license.
        CREATE TABLE rental (
            account account NOT NULL,
            subject BYTEA NOT NULL CHECK (length(subject) BETWEEN 2 AND 201), -- kind, then a title name or an asset ID
            starts BIGINT NOT NULL,
            ends BIGINT NOT NULL,
            client client NOT NULL,
            PRIMARY KEY (account, subject)
        );

        -- A persistent key on a device.
        CREATE TABLE offline_license (
            account account NOT NULL,
            device device_hash NOT NULL,
            stream_id BYTEA NOT NULL CHECK (length(stream_id) = 16),
            title_id BYTEA CHECK (length(title_id) = 16),
            asset_id BYTEA NOT NULL,
            granted BIGINT NOT NULL,
            storage_until BIGINT, -- the end of the storage duration; NULL means never
            playback_duration BIGINT, -- NULL means unlimited
            until BIGINT, -- NULL means that it can always be played
            first_play_seen BIGINT, -- when a report revealed first play
            reported BIGINT, -- the last report
            end_reason TEXT,
            ended BIGINT,
            PRIMARY KEY (account, device, stream_id)
        );

        """

    private static let requests = """
        -- A request that was answered, and its response for retries.
        CREATE TABLE replay (
            key BYTEA PRIMARY KEY CHECK (length(key) = 32), -- keyed hash of the request
            retry_until BIGINT NOT NULL,
            expires BIGINT NOT NULL,
            ckc BYTEA, -- NULL some time after retry_until
            is_persistable BOOLEAN NOT NULL,
            has_dual_expiry BOOLEAN NOT NULL
        );
        CREATE INDEX replay_by_expiry ON replay (expires);
        CREATE INDEX replay_by_retry ON replay (retry_until) WHERE ckc IS NOT NULL;
        -- A CKC is random data, which cannot be compressed.
        ALTER TABLE replay ALTER COLUMN ckc SET STORAGE EXTERNAL;

        -- The account, client and session that a single-use token belongs to.
        CREATE TABLE token_binding (
            token BYTEA PRIMARY KEY CHECK (length(token) = 32), -- hash of the token's issuer and ID
            account account NOT NULL,
            client client NOT NULL,
            session_id BIGINT,
            expires BIGINT NOT NULL
        );
        CREATE INDEX token_binding_by_expiry ON token_binding (expires);

        -- A challenge for a Sync SPC that was issued and not used.
        CREATE TABLE challenge (
            challenge BIGINT PRIMARY KEY,
            account account NOT NULL,
            expires BIGINT NOT NULL
        );
        CREATE INDEX challenge_by_expiry ON challenge (expires);

        -- The fingerprint of an SPC. The number is the order of arrival: the oldest rows beyond a limit are deleted.
        CREATE TABLE spc (
            key BYTEA PRIMARY KEY CHECK (length(key) = 16), -- hash of the RSA block
            digest BYTEA NOT NULL CHECK (length(digest) = 16), -- hash of the whole message
            expires BIGINT NOT NULL,
            number BIGINT GENERATED ALWAYS AS IDENTITY
        );
        CREATE INDEX spc_by_expiry ON spc (expires);
        CREATE INDEX spc_by_number ON spc (number);

        -- A fact that a device has reported against itself.
        CREATE TABLE device_report (
            device device_hash NOT NULL,
            fact label NOT NULL,
            value BIGINT NOT NULL, -- a lower value is worse for the device
            until BIGINT NOT NULL,
            PRIMARY KEY (device, fact)
        );
        CREATE INDEX device_report_by_until ON device_report (until);

        """

    private static let audit = """
        -- One row: the last link of the audit log's hash chain, and the number of the last entry.
        CREATE TABLE audit_head (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            node BYTEA NOT NULL CHECK (length(node) = 8),
            sequence BIGINT NOT NULL,
            hash BYTEA NOT NULL CHECK (length(hash) = 32),
            number BIGINT NOT NULL
        );

        -- An entry of the audit log: a request or a change by an admin, and its link of the hash chain.
        CREATE TABLE audit (
            number BIGINT PRIMARY KEY,
            node BYTEA NOT NULL CHECK (length(node) = 8),
            sequence BIGINT NOT NULL,
            hash BYTEA NOT NULL CHECK (length(hash) = 32),
            milliseconds BIGINT NOT NULL, -- when the request arrived, in Unix milliseconds
            route TEXT NOT NULL,
            outcome TEXT NOT NULL,
            detail TEXT,
            transaction_id BIGINT,
            session_id BIGINT,
            asset_id BYTEA,
            device BYTEA,
            device_class TEXT,
            bundle_name TEXT,
            policy_name TEXT,
            request_id TEXT,
            remote_address TEXT,
            microseconds BIGINT NOT NULL, -- the time that the server needed
            account TEXT
        );

        """

    private static let version = """
        -- One row: the version of these tables, and the schema version of the oldest program that can use them.
        CREATE TABLE schema_version (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            version BIGINT NOT NULL,
            oldest_program BIGINT NOT NULL
        );
        INSERT INTO schema_version VALUES (1, 1, 1);
        """
}
