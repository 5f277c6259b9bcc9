import FPSCrypto
import FoundationEssentials
import GRDB
import KeyStore

/// A row of the table `content` as it lies there, the key still sealed.
struct ContentRow: Sendable {
    private let assetID: [UInt8]
    private let keyID: [UInt8]?
    private let sealedKey: [UInt8]
    private let iv: [UInt8]
    private let track: String
    private let policyName: String?
    private let streamID: [UInt8]?
    private let titleID: [UInt8]?
    private let titleName: String?
    private let trackName: String?
    private let validFrom: Int64?
    private let validUntil: Int64?
    private let created: Int64
    private let updated: Int64

    private static let names = [
        "asset_id", "key_id", "content_key", "iv", "track", "policy_name", "stream_id", "title_id", "title_name",
        "track_name", "valid_from", "valid_until", "created", "updated",
    ]
    static let columns = names.joined(separator: ", ")
    /// The columns with the table before them, for joins.
    static let qualifiedColumns = names.map { "content." + $0 }.joined(separator: ", ")
    static let columnCount = names.count

    /// Takes a row that begins with these columns.
    init(_ row: Row) {
        assetID = row.bytes(0) ?? []
        keyID = row.bytes(1)
        sealedKey = row.bytes(2) ?? []
        iv = row.bytes(3) ?? []
        track = row[4]
        policyName = row[5]
        streamID = row.bytes(6)
        titleID = row.bytes(7)
        titleName = row[8]
        trackName = row[9]
        validFrom = row[10]
        validUntil = row[11]
        created = row[12]
        updated = row[13]
    }

    /// Everything but the key.
    func info() throws(KeyStoreError) -> ContentInfo {
        guard let track = ContentTrack(rawValue: track) else {
            throw KeyStoreError(.corrupt, place: "content \(displayName(ofAssetID: assetID)), track")
        }
        return try asStored { () throws(KeyStoreError) in
            try ContentInfo(
                assetID: assetID,
                keyID: keyID,
                track: track,
                policyName: policyName,
                streamID: streamID,
                titleID: titleID,
                titleName: titleName,
                trackName: trackName,
                validFrom: validFrom,
                validUntil: validUntil,
                created: created,
                updated: updated
            )
        }
    }

    /// The whole record, with the key opened.
    func record(_ keys: KeyRing) throws(KeyStoreError) -> ContentRecord {
        let info = try info()
        let contentKey = try keys.key(for: sealedKey).unseal(sealedKey, for: Self.keyColumn(assetID: assetID))
        return try asStored { () throws(KeyStoreError) in
            try ContentRecord(info: info, contentKey: contentKey, iv: iv)
        }
    }

    static func keyColumn(assetID: [UInt8]) -> SealedColumn {
        SealedColumn(
            table: "content",
            column: "content_key",
            row: [assetID],
            rowName: displayName(ofAssetID: assetID)
        )
    }

    /// Inserts the record, or replaces all of its row but the time of creation.
    static func write(_ record: ContentRecord, sealedWith key: KeyEncryptionKey, _ db: Database) throws {
        let info = record.info
        let sealedKey = try key.seal(record.contentKey, for: keyColumn(assetID: info.assetID))
        try db.execute(
            sql: """
                INSERT INTO content (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (asset_id) DO UPDATE SET key_id = excluded.key_id, content_key = excluded.content_key,
                    iv = excluded.iv, track = excluded.track, policy_name = excluded.policy_name,
                    stream_id = excluded.stream_id, title_id = excluded.title_id, title_name = excluded.title_name,
                    track_name = excluded.track_name, valid_from = excluded.valid_from,
                    valid_until = excluded.valid_until, updated = excluded.updated
                """,
            arguments: [
                Data(info.assetID), info.keyID.map { Data($0) }, Data(sealedKey), Data(record.iv),
                info.track.rawValue, info.policyName, info.streamID.map { Data($0) }, info.titleID.map { Data($0) },
                info.titleName, info.trackName, info.validFrom, info.validUntil, info.created, info.updated,
            ]
        )
    }
}

/// A record that breaks its own rules was not written by us: what is invalid on the way in is corrupt on the way out.
func asStored<Record>(_ make: () throws(KeyStoreError) -> Record) throws(KeyStoreError) -> Record {
    do { return try make() } catch {
        throw KeyStoreError(
            error.code == .invalidRecord ? .corrupt : error.code,
            place: error.place,
            reason: error.reason
        )
    }
}
