import FPSCrypto
package import KeyStore

extension PostgresKeyStore {
    /// Returns the key of an asset, or nil.
    package func content(assetID: [UInt8]) async throws(KeyStoreError) -> ContentRecord? {
        let query = PostgresQuery(
            "SELECT \(EncryptedContent.columns) FROM content WHERE asset_id = $1",
            [.bytes(assetID)]
        )
        let row = try await list(query, in: "content") { try EncryptedContent($0) }.first
        return try row?.record(keys)
    }

    /// Returns the stored keys with these key IDs, in one round trip.
    package func contents(keyIDs: [[UInt8]]) async throws(KeyStoreError) -> [ContentRecord] {
        let statement = "SELECT \(EncryptedContent.columns) FROM content WHERE key_id = $1"
        let rows = try await readers.read(in: "content") { reader in
            try reader.run(keyIDs.map { PostgresQuery(statement, [.bytes($0)]) })
                .flatMap { try $0.rows.map { try EncryptedContent($0) } }
        }
        var records: [ContentRecord] = []
        for row in rows { records.append(try row.record(keys)) }
        return records
    }

    /// Stores a record.
    @discardableResult
    package func putContent(_ record: ContentRecord, replacing: Bool, audit: AuditRecordProvider?)
        async throws(KeyStoreError)
        -> WriteOutcome
    {
        try await administer(in: record.info.place, audit: { audit?($0) }) { [keys] transaction in
            let key = try keys.selectCurrent(&transaction)
            return try Self.put(record, replacing: replacing, encryptedWith: key, &transaction)
        }
    }

    /// Stores a record within a transaction, in one round trip.
    @discardableResult
    static func put(
        _ record: ContentRecord,
        replacing: Bool,
        encryptedWith key: KeyEncryptionKey,
        _ transaction: inout PostgresTransaction
    ) throws -> WriteOutcome {
        let (info, place) = (record.info, record.info.place)
        let found = try transaction.run([
            PostgresQuery("SELECT asset_id FROM content WHERE asset_id = $1", [.bytes(info.assetID)]),
            PostgresQuery("SELECT asset_id FROM content WHERE key_id = $1", [.init(info.keyID)]),
            exists(policy: info.policyName),
            exists(track: info.trackName, of: info.titleName),
        ])
        guard found.count == 4 else { throw KeyStoreError(.corrupt, place: place) }
        let alreadyExists = !found[0].rows.isEmpty
        guard !alreadyExists || replacing else { throw KeyStoreError.exists(place) }
        if let owner = found[1].rows.first?.bytes(0), owner != info.assetID { throw KeyStoreError.keyIDInUse(place) }
        if let name = info.policyName, found[2].rows.isEmpty { throw KeyStoreError.noPolicy(name, place) }
        if let title = info.titleName, let track = info.trackName, found[3].rows.isEmpty {
            throw KeyStoreError.noTrack(track, of: title, place)
        }
        transaction.enqueue([try EncryptedContent.writing(record, encryptedWith: key)])
        return alreadyExists ? .replaced : .created
    }

    /// Deletes an asset's key.
    @discardableResult
    package func deleteContent(assetID: [UInt8], audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "content \(displayName(ofAssetID: assetID))", audit: { $0 ? audit : nil }) {
            transaction in
            try transaction.change("DELETE FROM content WHERE asset_id = $1", .bytes(assetID)) > 0
        }
    }

    /// Returns assets, sorted by ID.
    package func contents(after assetID: [UInt8]?, limit: Int) async throws(KeyStoreError) -> [ContentInfo] {
        let query = PostgresQuery(
            "SELECT \(EncryptedContent.columns) FROM content WHERE asset_id > $1 ORDER BY asset_id LIMIT $2",
            [.bytes(assetID ?? []), .integer(Int64(pageSize(limit)))]
        )
        return try await list(query, in: "content") { try EncryptedContent($0).info() }
    }

    /// Returns a query with one row if the policy exists, and no row for nil, because no name equals NULL.
    static func exists(policy name: String?) -> PostgresQuery {
        PostgresQuery("SELECT name FROM policy WHERE name = $1", [.init(name)])
    }

    /// Returns a query with one row if the title has the track.
    static func exists(track name: String?, of title: String?) -> PostgresQuery {
        PostgresQuery("SELECT name FROM track WHERE title_name = $1 AND name = $2", [.init(title), .init(name)])
    }
}

// The row of the table `content`: reading and writing, in the order of the columns.
extension EncryptedContent {
    private static let names = [
        "asset_id", "key_id", "content_key", "iv", "track_kind", "policy_name", "stream_id", "title_id", "title_name",
        "track_name", "valid_from", "valid_until", "created", "updated",
    ]
    static let columns = names.joined(separator: ", ")
    /// The columns qualified with the table name, for joins.
    static let qualifiedColumns = names.map { "content." + $0 }.joined(separator: ", ")
    static let columnCount = names.count

    /// Creates a value from a row that starts with these columns.
    init(_ row: PostgresRow) throws(KeyStoreError) {
        self.init(
            assetID: try row.requiredBytes(0),
            keyID: row.bytes(1),
            encryptedKey: try row.requiredBytes(2),
            iv: try row.requiredBytes(3),
            track: try row.requiredText(4),
            policyName: row.text(5),
            streamID: row.bytes(6),
            titleID: row.bytes(7),
            titleName: row.text(8),
            trackName: row.text(9),
            validFrom: row.integer(10),
            validUntil: row.integer(11),
            created: try row.requiredInteger(12),
            updated: try row.requiredInteger(13)
        )
    }

    /// Returns the statement that inserts the record, or replaces all columns of its row except the creation time.
    static func writing(_ record: ContentRecord, encryptedWith key: KeyEncryptionKey) throws(KeyStoreError)
        -> PostgresQuery
    {
        let info = record.info
        let encryptedKey = try key.encrypt(record.contentKey, for: keyColumn(assetID: info.assetID))
        return PostgresQuery(
            """
            INSERT INTO content (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
            ON CONFLICT (asset_id) DO UPDATE SET key_id = excluded.key_id, content_key = excluded.content_key,
                iv = excluded.iv, track_kind = excluded.track_kind, policy_name = excluded.policy_name,
                stream_id = excluded.stream_id, title_id = excluded.title_id, title_name = excluded.title_name,
                track_name = excluded.track_name, valid_from = excluded.valid_from,
                valid_until = excluded.valid_until, updated = excluded.updated
            """,
            [
                .bytes(info.assetID), .init(info.keyID), .bytes(encryptedKey), .bytes(record.iv),
                .text(info.track.rawValue), .init(info.policyName), .init(info.streamID), .init(info.titleID),
                .init(info.titleName), .init(info.trackName), .init(info.validFrom), .init(info.validUntil),
                .integer(info.created), .integer(info.updated),
            ]
        )
    }
}
