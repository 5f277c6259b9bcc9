import GRDB

/// From schema 6 to 7: fingerprints of SPCs, facts that devices reported against themselves, and a row to test whether
/// the database is writable.
enum Schema7 {
    static func migrate(_ db: Database) throws {
        try db.execute(
            sql: """
                -- The number is the order of arrival. The keys are random; the oldest rows beyond a limit are deleted.
                CREATE TABLE spc (
                    number INTEGER NOT NULL PRIMARY KEY,
                    key BLOB NOT NULL UNIQUE CHECK (length(key) = 16), -- hash of the RSA block
                    digest BLOB NOT NULL CHECK (length(digest) = 16), -- hash of the whole message
                    expires INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX spc_by_expiry ON spc (expires);

                CREATE TABLE device_report (
                    device BLOB NOT NULL CHECK (length(device) = 16),
                    fact TEXT NOT NULL,
                    value INTEGER NOT NULL,
                    until INTEGER NOT NULL,
                    PRIMARY KEY (device, fact)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX device_report_by_end ON device_report (until);

                CREATE TABLE write_probe (
                    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                    content BLOB NOT NULL
                ) STRICT;
                """
        )
        try db.execute(sql: "PRAGMA user_version = 7")
    }
}
