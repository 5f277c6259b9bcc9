import GRDB

/// From schema 6 to 7: the SPCs that were seen, what devices reported against themselves, and the row that shows whether the
/// database can be written.
enum Schema7 {
    static func migrate(_ db: Database) throws {
        try db.execute(
            sql: """
                -- In the order of their arrival: the keys are random, and of too many the oldest are deleted.
                CREATE TABLE spc (
                    number INTEGER NOT NULL PRIMARY KEY,
                    key BLOB NOT NULL UNIQUE CHECK (length(key) = 16), -- of the RSA block
                    digest BLOB NOT NULL CHECK (length(digest) = 16), -- of the whole message
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
