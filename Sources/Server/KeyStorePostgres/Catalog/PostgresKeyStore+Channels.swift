package import KeyStore

extension PostgresKeyStore {
    /// Returns the schedule of a title, or nil.
    package func channel(title: String) async throws(KeyStoreError) -> ChannelRecord? {
        let query = PostgresQuery("\(PostgresChannelRow.selection) WHERE title_name = $1", [.text(title)])
        return try await list(query, in: "channel") { try PostgresChannelRow.record($0) }.first
    }

    /// Returns schedules, sorted by title.
    package func channels(after title: String?, limit: Int) async throws(KeyStoreError) -> [ChannelRecord] {
        let query = PostgresQuery(
            "\(PostgresChannelRow.selection) WHERE title_name > $1 ORDER BY title_name LIMIT $2",
            [.text(title ?? ""), .integer(Int64(pageSize(limit)))]
        )
        return try await list(query, in: "channel") { try PostgresChannelRow.record($0) }
    }

    /// Stores a schedule.
    @discardableResult
    package func putChannel(
        _ record: ChannelRecord,
        replacing: Bool,
        audit: AuditRecordProvider?
    ) async throws(KeyStoreError) -> WriteOutcome {
        try await administer(in: record.place, audit: { audit?($0) }) { transaction in
            let found = try transaction.run(
                [
                    PostgresQuery("SELECT title_name FROM channel WHERE title_name = $1", [.text(record.title)]),
                    Self.exists(title: record.title),
                ] + record.tracks.map { Self.exists(track: $0, of: record.title) }
            )
            guard found.count == 2 + record.tracks.count else { throw KeyStoreError(.corrupt, place: record.place) }
            let alreadyExists = !found[0].rows.isEmpty
            guard !alreadyExists || replacing else { throw KeyStoreError.exists(record.place) }
            guard !found[1].rows.isEmpty else { throw KeyStoreError.noTitle(record.title, record.place) }
            for (track, result) in zip(record.tracks, found.dropFirst(2)) where result.rows.isEmpty {
                throw KeyStoreError.noTrack(track, of: record.title, record.place)
            }
            transaction.enqueue(PostgresChannelRow.writing(record))
            return alreadyExists ? .replaced : .created
        }
    }

    /// Deletes a schedule.
    @discardableResult
    package func deleteChannel(title: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "channel \(title)", audit: { $0 ? audit : nil }) { transaction in
            try transaction.change("DELETE FROM channel WHERE title_name = $1", .text(title)) > 0
        }
    }
}

/// A row of the table `channel` with those of `channel_track`: reading and writing, in the order of the columns.
enum PostgresChannelRow {
    private static let columns = "title_name, period_length, ahead, starts, is_paused, created, updated"

    /// A query that returns the tracks as one text, separated by slashes, which names cannot contain.
    static let selection = """
        SELECT \(columns), (SELECT string_agg(track_name, '/' ORDER BY track_name) FROM channel_track
            WHERE channel_track.title_name = channel.title_name) FROM channel
        """

    /// Creates a record from a row of ``selection``.
    static func record(_ row: PostgresRow) throws(KeyStoreError) -> ChannelRecord {
        try validatingStored { () throws(KeyStoreError) in
            try ChannelRecord(
                title: try row.requiredText(0),
                tracks: (row.text(7) ?? "").split(separator: "/").map(String.init),
                length: try row.requiredInteger(1),
                ahead: try row.requiredInteger(2),
                start: row.integer(3),
                isPaused: row.boolean(4),
                created: try row.requiredInteger(5),
                updated: try row.requiredInteger(6)
            )
        }
    }

    /// Returns the statements that insert the record, or replace all of it except the creation time.
    static func writing(_ record: ChannelRecord) -> [PostgresQuery] {
        let row = PostgresQuery(
            """
            INSERT INTO channel (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (title_name) DO UPDATE SET period_length = excluded.period_length, ahead = excluded.ahead,
                starts = excluded.starts, is_paused = excluded.is_paused, updated = excluded.updated
            """,
            [
                .text(record.title), .integer(record.length), .integer(record.ahead), .init(record.start),
                .boolean(record.isPaused), .integer(record.created), .integer(record.updated),
            ]
        )
        let clearing = PostgresQuery("DELETE FROM channel_track WHERE title_name = $1", [.text(record.title)])
        let tracks = record.tracks.map { track in
            PostgresQuery(
                "INSERT INTO channel_track (title_name, track_name) VALUES ($1, $2)",
                [.text(record.title), .text(track)]
            )
        }
        return [row, clearing] + tracks
    }
}
