import FPSCrypto
import FoundationEssentials
import GRDB
public import KeyStore

extension SQLiteKeyStore {
    /// The key of an asset, or nil.
    public func content(assetID: [UInt8]) async throws(KeyStoreError) -> ContentRecord? {
        let row = try await translatingErrors(in: "content \(displayName(ofAssetID: assetID))") {
            try await pool.read { db in
                let statement = try db.cachedStatement(
                    sql: "SELECT \(ContentRow.columns) FROM content WHERE asset_id = ?"
                )
                return try Row.fetchOne(statement, arguments: [Data(assetID)]).map { ContentRow($0) }
            }
        }
        return try row?.record(keys)
    }

    /// Keeps a record.
    @discardableResult
    public func putContent(_ record: ContentRecord, replacing: Bool) async throws(KeyStoreError) -> WriteOutcome {
        let place = record.info.place
        return try await translatingErrors(in: place) {
            try await pool.write { [keys] db in
                let key = try keys.requireCurrent(db)
                let exists =
                    try Row.fetchOne(
                        db,
                        sql: "SELECT 1 FROM content WHERE asset_id = ?",
                        arguments: [Data(record.info.assetID)]
                    ) != nil
                guard !exists || replacing else { throw KeyStoreError.exists(place) }
                if let policy = record.info.policyName, try !Self.exists(policy: policy, db) {
                    throw KeyStoreError.noPolicy(policy, place)
                }
                try ContentRow.write(record, sealedWith: key, db)
                return exists ? .replaced : .created
            }
        }
    }

    /// Forgets an asset.
    @discardableResult
    public func deleteContent(assetID: [UInt8]) async throws(KeyStoreError) -> Bool {
        try await translatingErrors(in: "content \(displayName(ofAssetID: assetID))") {
            try await pool.write { db in
                try db.execute(sql: "DELETE FROM content WHERE asset_id = ?", arguments: [Data(assetID)])
                return db.changesCount > 0
            }
        }
    }

    /// Assets in the order of their IDs.
    public func contents(after assetID: [UInt8]?, limit: Int) async throws(KeyStoreError) -> [ContentInfo] {
        let rows = try await translatingErrors(in: "content") {
            try await pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: "SELECT \(ContentRow.columns) FROM content WHERE asset_id > ? ORDER BY asset_id LIMIT ?",
                    arguments: [Data(assetID ?? []), pageSize(limit)]
                ).map { ContentRow($0) }
            }
        }
        var infos: [ContentInfo] = []
        for row in rows { infos.append(try row.info()) }
        return infos
    }
}
