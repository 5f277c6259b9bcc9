package import KeyStore

extension PostgresKeyStore {
    /// Returns the title with this name, or nil.
    package func title(name: String) async throws(KeyStoreError) -> TitleRecord? {
        let query = PostgresQuery("SELECT \(TitleRecord.columns) FROM title WHERE name = $1", [.text(name)])
        return try await list(query, in: "title") { try TitleRecord($0) }.first
    }

    /// Stores a title.
    @discardableResult
    package func putTitle(_ record: TitleRecord, replacing: Bool, audit: AuditRecordProvider?)
        async throws(KeyStoreError)
        -> WriteOutcome
    {
        try await administer(in: "title \(record.name)", audit: { audit?($0) }) { transaction in
            try Self.put(record, replacing: replacing, &transaction)
        }
    }

    /// Deletes a title.
    @discardableResult
    package func deleteTitle(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "title \(name)", audit: { $0 ? audit : nil }) { transaction in
            let tracks = "SELECT name FROM track WHERE title_name = $1 LIMIT 1"
            guard try transaction.rows(tracks, .text(name)).isEmpty else { throw KeyStoreError.titleInUse(name) }
            return try transaction.change("DELETE FROM title WHERE name = $1", .text(name)) > 0
        }
    }

    /// Returns titles, sorted by name.
    package func titles(after name: String?, limit: Int) async throws(KeyStoreError) -> [TitleRecord] {
        let query = PostgresQuery(
            "SELECT \(TitleRecord.columns) FROM title WHERE name > $1 ORDER BY name LIMIT $2",
            [.text(name ?? ""), .integer(Int64(pageSize(limit)))]
        )
        return try await list(query, in: "title") { try TitleRecord($0) }
    }

    /// Returns all tracks of a title, sorted by name.
    package func tracks(title: String) async throws(KeyStoreError) -> [TrackRecord] {
        let query = PostgresQuery(
            "SELECT \(TrackRecord.columns) FROM track WHERE title_name = $1 ORDER BY name",
            [.text(title)]
        )
        return try await list(query, in: "track") { try TrackRecord($0) }
    }

    /// Stores a track.
    @discardableResult
    package func putTrack(_ record: TrackRecord, replacing: Bool, audit: AuditRecordProvider?)
        async throws(KeyStoreError)
        -> WriteOutcome
    {
        try await administer(in: "track \(record.title)/\(record.name)", audit: { audit?($0) }) { transaction in
            try Self.put(record, replacing: replacing, &transaction)
        }
    }

    /// Deletes a track.
    @discardableResult
    package func deleteTrack(title: String, name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "track \(title)/\(name)", audit: { $0 ? audit : nil }) { transaction in
            let periods = "SELECT asset_id FROM content WHERE title_name = $1 AND track_name = $2 LIMIT 1"
            guard try transaction.rows(periods, .text(title), .text(name)).isEmpty else {
                throw KeyStoreError.trackInUse(name, of: title)
            }
            let schedule = "SELECT track_name FROM channel_track WHERE title_name = $1 AND track_name = $2"
            guard try transaction.rows(schedule, .text(title), .text(name)).isEmpty else {
                throw KeyStoreError.trackScheduled(name, of: title)
            }
            let sql = "DELETE FROM track WHERE title_name = $1 AND name = $2"
            return try transaction.change(sql, .text(title), .text(name)) > 0
        }
    }

    /// Stores many records in one transaction.
    package func put(_ batch: ContentBatch, replacing: Bool, audit: AuditRecord?) async throws(KeyStoreError) {
        try batch.check()
        try await administer(in: "batch", audit: { _ in audit }) { [keys] transaction in
            let key = try keys.selectCurrent(&transaction)
            for record in batch.titles { try Self.put(record, replacing: replacing, &transaction) }
            for record in batch.tracks { try Self.put(record, replacing: replacing, &transaction) }
            for record in batch.contents {
                try Self.put(record, replacing: replacing, encryptedWith: key, &transaction)
            }
        }
    }

    @discardableResult
    private static func put(
        _ record: TitleRecord,
        replacing: Bool,
        _ transaction: inout PostgresTransaction
    ) throws -> WriteOutcome {
        let found = try transaction.run([exists(title: record.name), exists(policy: record.policyName)])
        let alreadyExists = found.first?.rows.isEmpty == false
        guard !alreadyExists || replacing else { throw KeyStoreError.exists(record.place) }
        if let policy = record.policyName, found.last?.rows.isEmpty != false {
            throw KeyStoreError.noPolicy(policy, record.place)
        }
        transaction.enqueue([record.writing])
        return alreadyExists ? .replaced : .created
    }

    @discardableResult
    private static func put(
        _ record: TrackRecord,
        replacing: Bool,
        _ transaction: inout PostgresTransaction
    ) throws -> WriteOutcome {
        let found = try transaction.run([
            exists(title: record.title), exists(track: record.name, of: record.title),
            exists(policy: record.policyName),
        ])
        guard found.count == 3 else { throw KeyStoreError(.corrupt, place: record.place) }
        guard !found[0].rows.isEmpty else { throw KeyStoreError.noTitle(record.title, record.place) }
        let alreadyExists = !found[1].rows.isEmpty
        guard !alreadyExists || replacing else { throw KeyStoreError.exists(record.place) }
        if let policy = record.policyName, found[2].rows.isEmpty {
            throw KeyStoreError.noPolicy(policy, record.place)
        }
        transaction.enqueue([record.writing])
        return alreadyExists ? .replaced : .created
    }

    static func exists(title name: String) -> PostgresQuery {
        PostgresQuery("SELECT name FROM title WHERE name = $1", [.text(name)])
    }
}
