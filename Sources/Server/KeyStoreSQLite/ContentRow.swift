import FoundationEssentials
import GRDB
import KeyStore

typealias ContentRow = EncryptedContent

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
    init(_ row: Row) {
        self.init(
            assetID: row.bytes(0) ?? [],
            keyID: row.bytes(1),
            encryptedKey: row.bytes(2) ?? [],
            iv: row.bytes(3) ?? [],
            track: row[4],
            policyName: row[5],
            streamID: row.bytes(6),
            titleID: row.bytes(7),
            titleName: row[8],
            trackName: row[9],
            validFrom: row[10],
            validUntil: row[11],
            created: row[12],
            updated: row[13]
        )
    }

    /// Inserts the record, or replaces all columns of its row except the creation time.
    static func write(_ record: ContentRecord, encryptedWith key: KeyEncryptionKey, _ db: Database) throws {
        let info = record.info
        let encryptedKey = try key.encrypt(record.contentKey, for: keyColumn(assetID: info.assetID))
        try db.cachedStatement(sql: insertion)
            .execute(arguments: [
                Data(info.assetID), info.keyID.map { Data($0) }, Data(encryptedKey), Data(record.iv),
                info.track.rawValue, info.policyName, info.streamID.map { Data($0) }, info.titleID.map { Data($0) },
                info.titleName, info.trackName, info.validFrom, info.validUntil, info.created, info.updated,
            ])
    }

    private static let insertion = """
        INSERT INTO content (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (asset_id) DO UPDATE SET key_id = excluded.key_id, content_key = excluded.content_key,
            iv = excluded.iv, track_kind = excluded.track_kind, policy_name = excluded.policy_name,
            stream_id = excluded.stream_id, title_id = excluded.title_id, title_name = excluded.title_name,
            track_name = excluded.track_name, valid_from = excluded.valid_from,
            valid_until = excluded.valid_until, updated = excluded.updated
        """
}
