import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Returns the schedule of a title, or nil.
    package func channel(title: String) async throws(KeyStoreError) -> ChannelRecord? {
        try await translatingErrors(in: "channel") {
            try await pool.read { db in
                let sql = "SELECT \(SQLiteChannelRow.columns) FROM channel WHERE title_name = ?"
                return try Row.fetchOne(db, sql: sql, arguments: [title]).map { try SQLiteChannelRow.record($0, db) }
            }
        }
    }

    /// Returns schedules, sorted by title.
    package func channels(after title: String?, limit: Int) async throws(KeyStoreError) -> [ChannelRecord] {
        try await translatingErrors(in: "channel") {
            try await pool.read { db in
                try Row.fetchAll(
                    db,
                    sql:
                        "SELECT \(SQLiteChannelRow.columns) FROM channel WHERE title_name > ? ORDER BY title_name LIMIT ?",
                    arguments: [title ?? "", pageSize(limit)]
                ).map { try SQLiteChannelRow.record($0, db) }
            }
        }
    }

    /// Stores a schedule.
    @discardableResult
    package func putChannel(
        _ record: ChannelRecord,
        replacing: Bool,
        audit: AuditRecordProvider?
    ) async throws(KeyStoreError) -> WriteOutcome {
        try await administer(in: record.place, audit: { audit?($0) }) { db in
            let sql = "SELECT 1 FROM channel WHERE title_name = ?"
            let alreadyExists = try Row.fetchOne(db, sql: sql, arguments: [record.title]) != nil
            guard !alreadyExists || replacing else { throw KeyStoreError.exists(record.place) }
            guard try Self.exists(title: record.title, db) else {
                throw KeyStoreError.noTitle(record.title, record.place)
            }
            for track in record.tracks where try !Self.exists(track: track, of: record.title, db) {
                throw KeyStoreError.noTrack(track, of: record.title, record.place)
            }
            try SQLiteChannelRow.write(record, db)
            return alreadyExists ? .replaced : .created
        }
    }

    /// Deletes a schedule.
    @discardableResult
    package func deleteChannel(title: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "channel \(title)", audit: { $0 ? audit : nil }) { db in
            try db.execute(sql: "DELETE FROM channel WHERE title_name = ?", arguments: [title])
            return db.changesCount > 0
        }
    }
}

/// A row of the table `channel` with those of `channel_track`: reading and writing, in the order of the columns.
enum SQLiteChannelRow {
    static let columns = "title_name, period_length, ahead, starts, is_paused, created, updated"

    static func record(_ row: Row, _ db: Database) throws -> ChannelRecord {
        let title: String = row[0]
        let statement = try db.cachedStatement(
            sql: "SELECT track_name FROM channel_track WHERE title_name = ? ORDER BY track_name"
        )
        let tracks = try String.fetchAll(statement, arguments: [title])
        return try validatingStored { () throws(KeyStoreError) in
            try ChannelRecord(
                title: title,
                tracks: tracks,
                length: row[1],
                ahead: row[2],
                start: row[3],
                isPaused: row[4],
                created: row[5],
                updated: row[6]
            )
        }
    }

    /// Inserts the record, or replaces all columns of its row except the creation time.
    static func write(_ record: ChannelRecord, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO channel (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (title_name) DO UPDATE SET period_length = excluded.period_length, ahead = excluded.ahead,
                    starts = excluded.starts, is_paused = excluded.is_paused, updated = excluded.updated
                """,
            arguments: [
                record.title, record.length, record.ahead, record.start, record.isPaused, record.created,
                record.updated,
            ]
        )
        try db.execute(sql: "DELETE FROM channel_track WHERE title_name = ?", arguments: [record.title])
        for track in record.tracks {
            try db.execute(
                sql: "INSERT INTO channel_track (title_name, track_name) VALUES (?, ?)",
                arguments: [record.title, track]
            )
        }
    }
}
