package import KeyStore

extension PostgresKeyStore {
    /// Returns the key of an asset with its title and track, or nil.
    package func lookup(assetID: [UInt8]) async throws(KeyStoreError) -> ContentLookup? {
        try await lookup(PostgresQuery(Self.lookup + "content.asset_id = $1", [.bytes(assetID)]))
    }

    /// Returns the key with a key ID, with its title and track, or nil.
    package func lookup(keyID: [UInt8]) async throws(KeyStoreError) -> ContentLookup? {
        try await lookup(PostgresQuery(Self.lookup + "content.key_id = $1", [.bytes(keyID)]))
    }

    /// Returns the key periods of a track, sorted by start.
    package func keyPeriods(
        title: String,
        track: String,
        after last: ContentInfo?,
        limit: Int
    ) async throws(KeyStoreError) -> [ContentInfo] {
        let query = PostgresQuery(
            """
            SELECT \(EncryptedContent.columns) FROM content
            WHERE title_name = $1 AND track_name = $2 AND (coalesce(valid_from, -1), asset_id) > ($3, $4)
            ORDER BY coalesce(valid_from, -1), asset_id LIMIT $5
            """,
            [
                .text(title), .text(track), .integer(last.map { $0.validFrom ?? -1 } ?? -2),
                .bytes(last?.assetID ?? []), .integer(Int64(pageSize(limit))),
            ]
        )
        return try await list(query, in: "content") { try EncryptedContent($0).info() }
    }

    private func lookup(_ query: PostgresQuery) async throws(KeyStoreError) -> ContentLookup? {
        let found = try await list(query, in: "content") { try Found($0) }.first
        // The key is decrypted here, on the caller's thread.
        return try found.map { found throws(KeyStoreError) in
            try ContentLookup(
                record: try found.content.record(keys),
                title: found.title,
                track: found.track,
                catalogVersion: found.catalogVersion,
                policy: { name throws(KeyStoreError) in
                    guard let document = found.documents[name] else { return nil }
                    return try validatingStored { () throws(KeyStoreError) in
                        try PolicyRecord(name: name, document: document)
                    }
                }
            )
        }
    }

    // A single statement reads a consistent state of all content data that a license decision needs.
    private static let lookup = """
        SELECT \(EncryptedContent.qualifiedColumns), \(TitleRecord.qualifiedColumns), \(TrackRecord.qualifiedColumns),
            catalog.version, of_content.document, of_title.document, of_track.document, of_all.document
        FROM content
        CROSS JOIN catalog
        LEFT JOIN title ON title.name = content.title_name
        LEFT JOIN track ON track.title_name = content.title_name AND track.name = content.track_name
        LEFT JOIN policy of_content ON of_content.name = content.policy_name
        LEFT JOIN policy of_title ON of_title.name = title.policy_name
        LEFT JOIN policy of_track ON of_track.name = track.policy_name
        LEFT JOIN policy of_all ON of_all.name = '\(ContentLookup.defaultPolicy)'
        WHERE
        """ + " "

    /// The result of one read.
    private struct Found: Sendable {
        let content: EncryptedContent
        let title: TitleRecord?
        let track: TrackRecord?
        let catalogVersion: Int64
        private(set) var documents: [String: [UInt8]] = [:]

        init(_ row: PostgresRow) throws(KeyStoreError) {
            let titleColumn = EncryptedContent.columnCount
            let trackColumn = titleColumn + TitleRecord.columnCount
            let versionColumn = trackColumn + TrackRecord.columnCount
            content = try EncryptedContent(row)
            title = row.bytes(titleColumn) == nil ? nil : try TitleRecord(row, from: titleColumn)
            track = row.bytes(trackColumn) == nil ? nil : try TrackRecord(row, from: trackColumn)
            catalogVersion = try row.requiredInteger(versionColumn)
            let names = [
                try content.info().policyName, title?.policyName, track?.policyName, ContentLookup.defaultPolicy,
            ]
            for (index, name) in names.enumerated() {
                guard let name, let document = row.bytes(versionColumn + 1 + index) else { continue }
                documents[name] = document
            }
        }
    }
}
