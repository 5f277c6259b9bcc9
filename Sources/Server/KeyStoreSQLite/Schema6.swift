import GRDB

/// From schema 5 to 6: schedules of live channels.
enum Schema6 {
    static func migrate(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE channel (
                    title_name TEXT NOT NULL PRIMARY KEY REFERENCES title (name) ON DELETE RESTRICT ON UPDATE RESTRICT,
                    length INTEGER NOT NULL,
                    ahead INTEGER NOT NULL,
                    starts INTEGER,
                    is_paused INTEGER NOT NULL CHECK (is_paused IN (0, 1)),
                    created INTEGER NOT NULL,
                    updated INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;

                CREATE TABLE channel_track (
                    title_name TEXT NOT NULL REFERENCES channel (title_name) ON DELETE CASCADE,
                    track_name TEXT NOT NULL,
                    PRIMARY KEY (title_name, track_name),
                    FOREIGN KEY (title_name, track_name) REFERENCES track (title_name, name)
                        ON DELETE RESTRICT ON UPDATE RESTRICT
                ) STRICT, WITHOUT ROWID;
                """
        )
        try db.execute(sql: "PRAGMA user_version = 6")
    }
}
