/// PostgresSchema 1: the tables of a store in PostgreSQL, in their own schema (namespace) `keyway`.
///
/// The tables correspond to those in SQLite. Bytes are BYTEA, which compare as bytes; names are TEXT with the collation
/// "C", so that lists have the same order everywhere. Comments mark the columns with encrypted values. All other
/// columns are plaintext and not authenticated, unless the encrypted values of their row are bound to them.
enum Schema1 {
    static let script = names + catalog + certificates + grants + audit + version

    private static let names = """
        CREATE DOMAIN label AS TEXT COLLATE "C";

        CREATE TABLE sealing (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            kek_id BYTEA NOT NULL CHECK (length(kek_id) = 8),
            device_hash_key BYTEA NOT NULL -- encrypted
        );

        -- Rows that show whether a transaction was committed when its connection was lost: see CommitMark.
        CREATE TABLE commit_mark (
            id BYTEA PRIMARY KEY CHECK (length(id) = 16),
            is_commit BOOLEAN NOT NULL,
            made TIMESTAMPTZ NOT NULL DEFAULT now()
        );
        CREATE INDEX commit_mark_by_age ON commit_mark (made);

        """

    private static let catalog = """
        CREATE TABLE policy (
            name label PRIMARY KEY,
            document BYTEA NOT NULL
        );

        CREATE TABLE title (
            name label PRIMARY KEY,
            title_id BYTEA NOT NULL CHECK (length(title_id) = 16),
            policy_name label REFERENCES policy (name),
            key_uri_template TEXT,
            created BIGINT NOT NULL,
            updated BIGINT NOT NULL
        );
        CREATE INDEX title_by_policy ON title (policy_name);

        CREATE TABLE track (
            title_name label NOT NULL REFERENCES title (name),
            name label NOT NULL,
            kind TEXT NOT NULL,
            stream_id BYTEA NOT NULL CHECK (length(stream_id) = 16),
            policy_name label REFERENCES policy (name),
            PRIMARY KEY (title_name, name)
        );
        CREATE INDEX track_by_policy ON track (policy_name);

        CREATE TABLE content (
            asset_id BYTEA PRIMARY KEY CHECK (length(asset_id) BETWEEN 2 AND 200),
            key_id BYTEA UNIQUE CHECK (length(key_id) = 16),
            content_key BYTEA NOT NULL, -- encrypted, bound to asset_id
            iv BYTEA NOT NULL CHECK (length(iv) = 16),
            track TEXT NOT NULL,
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

        -- A number that grows with every transaction that changes content, titles, tracks or policies, on any server.
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

        CREATE TABLE admin_token (
            name label PRIMARY KEY,
            role TEXT NOT NULL,
            hash BYTEA NOT NULL UNIQUE CHECK (length(hash) = 32),
            created BIGINT NOT NULL,
            last_used_day BIGINT
        );

        """

    // Times are Unix seconds. A place is a byte for the kind, then a session ID or the hash of a device.
    private static let grants = """
        CREATE DOMAIN account AS BYTEA CHECK (length(VALUE) BETWEEN 1 AND 200);
        CREATE DOMAIN place AS BYTEA CHECK (length(VALUE) IN (9, 17));
        CREATE DOMAIN device_hash AS BYTEA CHECK (length(VALUE) = 16);

        CREATE TABLE lease (
            account account NOT NULL,
            place place NOT NULL,
            session_id BIGINT,
            asset_id BYTEA NOT NULL,
            since BIGINT NOT NULL,
            until BIGINT NOT NULL,
            purpose TEXT NOT NULL,
            ended BIGINT,
            PRIMARY KEY (account, place)
        );
        CREATE INDEX lease_by_until ON lease (until);

        CREATE TABLE ended_session (
            account account NOT NULL,
            place place NOT NULL,
            session BYTEA NOT NULL CHECK (length(session) IN (0, 8)), -- the session ID, big-endian; empty without one
            forget_at BIGINT NOT NULL,
            PRIMARY KEY (account, place, session)
        );
        CREATE INDEX ended_session_by_end ON ended_session (forget_at);

        CREATE TABLE device (
            account account NOT NULL,
            device device_hash NOT NULL,
            device_class TEXT,
            first_seen BIGINT NOT NULL,
            last_seen BIGINT NOT NULL,
            PRIMARY KEY (account, device)
        );

        CREATE TABLE rental (
            account account NOT NULL,
            subject BYTEA NOT NULL CHECK (length(subject) BETWEEN 2 AND 201), -- kind, then a title name or an asset ID
            starts BIGINT NOT NULL,
            ends BIGINT NOT NULL,
            place place NOT NULL,
            PRIMARY KEY (account, subject)
        );

        CREATE TABLE offline_license (
            account account NOT NULL,
            device device_hash NOT NULL,
            stream_id BYTEA NOT NULL CHECK (length(stream_id) = 16),
            title_id BYTEA CHECK (length(title_id) = 16),
            asset_id BYTEA NOT NULL,
            granted BIGINT NOT NULL,
            storage_until BIGINT,
            playback BIGINT,
            until BIGINT,
            first_play_seen BIGINT,
            reported BIGINT,
            ending TEXT,
            ended BIGINT,
            PRIMARY KEY (account, device, stream_id)
        );

        CREATE TABLE replay (
            key BYTEA PRIMARY KEY CHECK (length(key) = 32),
            retry_until BIGINT NOT NULL,
            expires BIGINT NOT NULL,
            ckc BYTEA, -- NULL some time after retry_until
            is_persistable BOOLEAN NOT NULL,
            has_dual_expiry BOOLEAN NOT NULL
        );
        CREATE INDEX replay_by_expiry ON replay (expires);
        CREATE INDEX replay_answer ON replay (retry_until) WHERE ckc IS NOT NULL;
        -- A CKC is random data, which cannot be compressed.
        ALTER TABLE replay ALTER COLUMN ckc SET STORAGE EXTERNAL;

        CREATE TABLE token_binding (
            token BYTEA PRIMARY KEY CHECK (length(token) = 32),
            account account NOT NULL,
            place place NOT NULL,
            session_id BIGINT,
            expires BIGINT NOT NULL
        );
        CREATE INDEX token_binding_by_expiry ON token_binding (expires);

        CREATE TABLE challenge (
            challenge BIGINT PRIMARY KEY,
            account account NOT NULL,
            expires BIGINT NOT NULL
        );
        CREATE INDEX challenge_by_expiry ON challenge (expires);

        """

    private static let audit = """
        -- The head of the log, with the number of the last entry.
        CREATE TABLE audit_head (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            node BYTEA NOT NULL CHECK (length(node) = 8),
            sequence BIGINT NOT NULL,
            hash BYTEA NOT NULL CHECK (length(hash) = 32),
            number BIGINT NOT NULL
        );

        CREATE TABLE audit (
            number BIGINT PRIMARY KEY,
            node BYTEA NOT NULL CHECK (length(node) = 8),
            sequence BIGINT NOT NULL,
            hash BYTEA NOT NULL CHECK (length(hash) = 32),
            milliseconds BIGINT NOT NULL,
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
            microseconds BIGINT NOT NULL,
            account TEXT
        );

        """

    private static let version = """
        CREATE TABLE schema_version (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            version BIGINT NOT NULL,
            -- The schema version of the oldest program that can still use these tables.
            oldest BIGINT NOT NULL
        );
        INSERT INTO schema_version VALUES (1, 1, 1);
        """
}
