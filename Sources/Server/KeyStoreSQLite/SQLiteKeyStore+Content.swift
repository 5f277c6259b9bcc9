import FPSCrypto
import FoundationEssentials
import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Returns the key of an asset, or nil.
    package func content(assetID: [UInt8]) async throws(KeyStoreError) -> ContentRecord? {
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

    /// Returns the stored keys with these key IDs.
    package func contents(keyIDs: [[UInt8]]) async throws(KeyStoreError) -> [ContentRecord] {
        let rows = try await translatingErrors(in: "content") {
            try await pool.read { db in
                let statement = try db.cachedStatement(
                    sql: "SELECT \(ContentRow.columns) FROM content WHERE key_id = ?"
                )
                return try keyIDs.compactMap {
                    try Row.fetchOne(statement, arguments: [Data($0)]).map { ContentRow($0) }
                }
            }
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
        try await administer(in: record.info.place, audit: { audit?($0) }) { [keys] db in
            try Self.put(record, replacing: replacing, encryptedWith: try keys.selectCurrent(db), db)
        }
    }

    /// Stores a record within a transaction.
    @discardableResult
    static func put(
        _ record: ContentRecord,
        replacing: Bool,
        encryptedWith key: KeyEncryptionKey,
        _ db: Database
    ) throws -> WriteOutcome {
        let (info, place) = (record.info, record.info.place)
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM content WHERE asset_id = ?")
        let alreadyExists = try Row.fetchOne(statement, arguments: [Data(info.assetID)]) != nil
        guard !alreadyExists || replacing else { throw KeyStoreError.exists(place) }
        if let keyID = info.keyID {
            let owner = try db.cachedStatement(sql: "SELECT asset_id FROM content WHERE key_id = ?")
            let found = try Row.fetchOne(owner, arguments: [Data(keyID)])?.bytes(0)
            guard found == nil || found == info.assetID else { throw KeyStoreError.keyIDInUse(place) }
        }
        try require(policy: info.policyName, place, db)
        if let title = info.titleName, let track = info.trackName, try !exists(track: track, of: title, db) {
            throw KeyStoreError.noTrack(track, of: title, place)
        }
        try ContentRow.write(record, encryptedWith: key, db)
        return alreadyExists ? .replaced : .created
    }

    /// Deletes an asset's key.
    @discardableResult
    package func deleteContent(assetID: [UInt8], audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "content \(displayName(ofAssetID: assetID))", audit: { $0 ? audit : nil }) { db in
            try db.execute(sql: "DELETE FROM content WHERE asset_id = ?", arguments: [Data(assetID)])
            return db.changesCount > 0
        }
    }

    /// Returns assets, sorted by ID.
    package func contents(after assetID: [UInt8]?, limit: Int) async throws(KeyStoreError) -> [ContentInfo] {
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
