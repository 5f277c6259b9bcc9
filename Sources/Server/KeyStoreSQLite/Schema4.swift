import FoundationEssentials
import GRDB
import KeyStore

/// From schema 3 to 4: ended sessions have a separate table, and the subject of a rental has a byte that distinguishes
/// titles from assets.
enum Schema4 {
    static func migrate(_ db: Database) throws {
        try db.execute(sql: tables)
        try copyEndedSessions(db)
        try copyRentals(db)
        try db.execute(sql: "DROP TABLE rental; ALTER TABLE rental_with_kind RENAME TO rental")
        try db.execute(sql: "PRAGMA user_version = 4")
    }

    private static let tables = """
        CREATE TABLE ended_session (
            account BLOB NOT NULL CHECK (length(account) BETWEEN 1 AND 200),
            place BLOB NOT NULL CHECK (length(place) IN (9, 17)),
            session BLOB NOT NULL CHECK (length(session) IN (0, 8)), -- the session ID, big-endian; empty without one
            forget_at INTEGER NOT NULL,
            PRIMARY KEY (account, place, session)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX ended_session_by_end ON ended_session (forget_at);

        CREATE TABLE rental_with_kind (
            account BLOB NOT NULL CHECK (length(account) BETWEEN 1 AND 200),
            subject BLOB NOT NULL CHECK (length(subject) BETWEEN 2 AND 201), -- kind, then a title's name or an asset ID
            start INTEGER NOT NULL,
            end INTEGER NOT NULL,
            place BLOB NOT NULL CHECK (length(place) IN (9, 17)),
            PRIMARY KEY (account, subject)
        ) STRICT, WITHOUT ROWID;
        """

    /// Copies the ended sessions from the rows of their leases.
    private static func copyEndedSessions(_ db: Database) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT account, place, session_id, until FROM lease WHERE ended IS NOT NULL"
        )
        while let row = try rows.next() {
            let sessionID = row.unsigned(2)
            let memory = sessionID == nil ? 0 : GrantRules.endedSessionRetention
            let ended = EndedSessionRecord(
                account: row.account(0),
                client: try row.client(1, of: "lease"),
                sessionID: sessionID,
                expiry: GrantRules.later(row[3], by: memory)
            )
            try SQLiteEndedSessionRow.write(ended, db)
        }
    }

    /// Copies rentals. A title and an asset of the same name shared one rental, and both retain it. If neither exists
    /// any more, both retain it as well, because the subject is not known and neither rental may start again.
    private static func copyRentals(_ db: Database) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT account, subject, start, end, place,
                    EXISTS (SELECT 1 FROM title WHERE CAST(name AS BLOB) = subject),
                    EXISTS (SELECT 1 FROM content WHERE asset_id = subject AND title_name IS NULL)
                FROM rental
                """
        )
        let copy = try db.makeStatement(
            sql: "INSERT INTO rental_with_kind (account, subject, start, end, place) VALUES (?, ?, ?, ?, ?)"
        )
        while let row = try rows.next() {
            let (subject, isTitle, isAsset) = (row.bytes(1) ?? [], row[5] as Bool, row[6] as Bool)
            var subjects: [RentalSubject] = []
            if isTitle || !isAsset { subjects.append(.title(String(decoding: subject, as: UTF8.self))) }
            if isAsset || !isTitle { subjects.append(.asset(subject)) }
            for subject in subjects {
                try copy.execute(arguments: [
                    row[0] as Data, subject.encoded.data, row[2] as Int64, row[3] as Int64, row[4] as Data,
                ])
            }
        }
    }
}
