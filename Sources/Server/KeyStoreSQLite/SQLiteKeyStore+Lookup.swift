import FoundationEssentials
import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Returns the key of an asset with its title and track, or nil.
    package func lookup(assetID: [UInt8]) async throws(KeyStoreError) -> ContentLookup? {
        try await lookup(where: "content.asset_id = ?", is: assetID)
    }

    /// Returns the key with a key ID, with its title and track, or nil.
    package func lookup(keyID: [UInt8]) async throws(KeyStoreError) -> ContentLookup? {
        try await lookup(where: "content.key_id = ?", is: keyID)
    }

    /// Returns the key periods of a track, sorted by start.
    package func keyPeriods(
        title: String,
        track: String,
        after last: ContentInfo?,
        limit: Int
    ) async throws(KeyStoreError) -> [ContentInfo] {
        let rows = try await translatingErrors(in: "content") {
            try await pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT \(ContentRow.columns) FROM content
                        WHERE title_name = ? AND track_name = ? AND (ifnull(valid_from, -1), asset_id) > (?, ?)
                        ORDER BY ifnull(valid_from, -1), asset_id LIMIT ?
                        """,
                    arguments: [
                        title, track, last.map { $0.validFrom ?? -1 } ?? -2, Data(last?.assetID ?? []), pageSize(limit),
                    ]
                ).map { ContentRow($0) }
            }
        }
        var infos: [ContentInfo] = []
        for row in rows { infos.append(try row.info()) }
        return infos
    }

    private func lookup(where condition: String, is bytes: [UInt8]) async throws(KeyStoreError) -> ContentLookup? {
        let found = try await translatingErrors(in: "content") {
            try await pool.read { db in
                let statement = try db.cachedStatement(sql: Self.lookup + condition)
                return try Row.fetchOne(statement, arguments: [Data(bytes)]).map { try Found($0, db) }
            }
        }
        // The key is decrypted here, on the caller's thread.
        return try found.map { found throws(KeyStoreError) in
            try ContentLookup(
                record: try found.content.record(keys),
                title: found.title,
                track: found.track,
                catalogVersion: found.catalogVersion,
                policy: { name throws(KeyStoreError) in found.policies[name] }
            )
        }
    }

    private static let lookup = """
        SELECT \(ContentRow.qualifiedColumns), \(TitleRecord.qualifiedColumns), \(TrackRecord.qualifiedColumns)
        FROM content
        LEFT JOIN title ON title.name = content.title_name
        LEFT JOIN track ON track.title_name = content.title_name AND track.name = content.track_name
        WHERE
        """ + " "

    /// The result of one read: a consistent state of all content data that a license decision needs.
    private struct Found: Sendable {
        let content: ContentRow
        let title: TitleRecord?
        let track: TrackRecord?
        let catalogVersion: Int64
        var policies: [String: PolicyRecord] = [:]

        init(_ row: Row, _ db: Database) throws {
            let titleColumn = ContentRow.columnCount
            let trackColumn = titleColumn + TitleRecord.columnCount
            content = ContentRow(row)
            catalogVersion = try CatalogVersion.fetch(db)
            title = row.hasNull(atIndex: titleColumn) ? nil : try TitleRecord(row, from: titleColumn)
            track = row.hasNull(atIndex: trackColumn) ? nil : try TrackRecord(row, from: trackColumn)
            for name in ContentLookup.policyNames(governing: try content.info(), title, track) {
                policies[name] = try SQLiteKeyStore.policy(name, db)
            }
        }
    }
}
