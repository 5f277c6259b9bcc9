import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Returns the title with this name, or nil.
    package func title(name: String) async throws(KeyStoreError) -> TitleRecord? {
        try await translatingErrors(in: "title") {
            try await pool.read { db in
                let statement = try db.cachedStatement(sql: "SELECT \(TitleRecord.columns) FROM title WHERE name = ?")
                return try Row.fetchOne(statement, arguments: [name]).map { try TitleRecord($0) }
            }
        }
    }

    /// Stores a title.
    @discardableResult
    package func putTitle(_ record: TitleRecord, replacing: Bool, audit: AuditRecordProvider?)
        async throws(KeyStoreError)
        -> WriteOutcome
    {
        try await administer(in: "title \(record.name)", audit: { audit?($0) }) { db in
            try Self.put(record, replacing: replacing, db)
        }
    }

    /// Deletes a title.
    @discardableResult
    package func deleteTitle(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "title \(name)", audit: { $0 ? audit : nil }) { db in
            let tracks = "SELECT 1 FROM track WHERE title_name = ? LIMIT 1"
            guard try Row.fetchOne(db, sql: tracks, arguments: [name]) == nil else {
                throw KeyStoreError.titleInUse(name)
            }
            try db.execute(sql: "DELETE FROM title WHERE name = ?", arguments: [name])
            return db.changesCount > 0
        }
    }

    /// Returns titles, sorted by name.
    package func titles(after name: String?, limit: Int) async throws(KeyStoreError) -> [TitleRecord] {
        try await translatingErrors(in: "title") {
            try await pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: "SELECT \(TitleRecord.columns) FROM title WHERE name > ? ORDER BY name LIMIT ?",
                    arguments: [name ?? "", pageSize(limit)]
                ).map { try TitleRecord($0) }
            }
        }
    }

    /// Returns all tracks of a title, sorted by name.
    package func tracks(title: String) async throws(KeyStoreError) -> [TrackRecord] {
        try await translatingErrors(in: "track") {
            try await pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: "SELECT \(TrackRecord.columns) FROM track WHERE title_name = ? ORDER BY name",
                    arguments: [title]
                ).map { try TrackRecord($0) }
            }
        }
    }

    /// Stores a track.
    @discardableResult
    package func putTrack(_ record: TrackRecord, replacing: Bool, audit: AuditRecordProvider?)
        async throws(KeyStoreError)
        -> WriteOutcome
    {
        try await administer(in: "track \(record.title)/\(record.name)", audit: { audit?($0) }) { db in
            try Self.put(record, replacing: replacing, db)
        }
    }

    /// Deletes a track.
    @discardableResult
    package func deleteTrack(title: String, name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "track \(title)/\(name)", audit: { $0 ? audit : nil }) { db in
            let periods = "SELECT 1 FROM content WHERE title_name = ? AND track_name = ? LIMIT 1"
            guard try Row.fetchOne(db, sql: periods, arguments: [title, name]) == nil else {
                throw KeyStoreError.trackInUse(name, of: title)
            }
            let schedule = "SELECT 1 FROM channel_track WHERE title_name = ? AND track_name = ?"
            guard try Row.fetchOne(db, sql: schedule, arguments: [title, name]) == nil else {
                throw KeyStoreError.trackScheduled(name, of: title)
            }
            try db.execute(sql: "DELETE FROM track WHERE title_name = ? AND name = ?", arguments: [title, name])
            return db.changesCount > 0
        }
    }

    /// Stores many records in one transaction.
    package func put(_ batch: ContentBatch, replacing: Bool, audit: AuditRecord?) async throws(KeyStoreError) {
        try batch.check()
        try await administer(in: "batch", audit: { _ in audit }) { [keys] db in
            let key = try keys.selectCurrent(db)
            for record in batch.titles { try Self.put(record, replacing: replacing, db) }
            for record in batch.tracks { try Self.put(record, replacing: replacing, db) }
            for record in batch.contents { try Self.put(record, replacing: replacing, encryptedWith: key, db) }
        }
    }

    @discardableResult
    private static func put(_ record: TitleRecord, replacing: Bool, _ db: Database) throws -> WriteOutcome {
        let alreadyExists = try exists(title: record.name, db)
        guard !alreadyExists || replacing else { throw KeyStoreError.exists(record.place) }
        try require(policy: record.policyName, record.place, db)
        try record.write(db)
        return alreadyExists ? .replaced : .created
    }

    @discardableResult
    private static func put(_ record: TrackRecord, replacing: Bool, _ db: Database) throws -> WriteOutcome {
        guard try exists(title: record.title, db) else { throw KeyStoreError.noTitle(record.title, record.place) }
        let alreadyExists = try exists(track: record.name, of: record.title, db)
        guard !alreadyExists || replacing else { throw KeyStoreError.exists(record.place) }
        try require(policy: record.policyName, record.place, db)
        try record.write(db)
        return alreadyExists ? .replaced : .created
    }

    static func exists(title name: String, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM title WHERE name = ?")
        return try Row.fetchOne(statement, arguments: [name]) != nil
    }

    static func exists(track name: String, of title: String, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM track WHERE title_name = ? AND name = ?")
        return try Row.fetchOne(statement, arguments: [title, name]) != nil
    }
}
