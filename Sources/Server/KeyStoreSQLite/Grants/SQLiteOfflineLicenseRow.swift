import FoundationEssentials
import GRDB
import KeyStore

/// A row of the table `offline_license`.
enum SQLiteOfflineLicenseRow {
    static let columns = """
        account, device, stream_id, title_id, asset_id, granted, storage_until, playback_duration, until, first_play_seen, \
        reported, end_reason, ended
        """

    /// Creates a record from a row with exactly these columns.
    static func record(_ row: Row) throws -> OfflineLicenseRecord {
        var license = OfflineLicenseRecord(
            account: row.account(0),
            device: try row.device(1, of: "offline_license"),
            streamID: row.bytes(2) ?? [],
            titleID: row.bytes(3),
            assetID: row.bytes(4) ?? [],
            granted: row[5],
            storageUntil: row[6],
            playback: row[7],
            until: row[8]
        )
        license.firstPlaySeen = row[9]
        license.reported = row[10]
        if let end = row[11] as String? {
            guard let end = OfflineLicenseRecord.End(rawValue: end) else {
                throw KeyStoreError(.corrupt, place: "offline_license, end_reason")
            }
            license.end = end
        }
        license.ended = row[12]
        return license
    }

    static func fetch(
        _ account: Data,
        _ device: DeviceHash,
        _ streamID: [UInt8],
        _ db: Database
    ) throws -> OfflineLicenseRecord? {
        let sql = "SELECT \(columns) FROM offline_license WHERE account = ? AND device = ? AND stream_id = ?"
        let arguments: StatementArguments = [account, device.bytes.data, streamID.data]
        return try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments).map(record)
    }

    static func fetch(
        _ account: Data,
        _ device: DeviceHash,
        titleID: [UInt8],
        _ db: Database
    ) throws -> [OfflineLicenseRecord] {
        let sql = "SELECT \(columns) FROM offline_license WHERE account = ? AND device = ? AND title_id = ?"
        let arguments: StatementArguments = [account, device.bytes.data, titleID.data]
        return try Row.fetchAll(db.cachedStatement(sql: sql), arguments: arguments).map(record)
    }

    static func write(_ license: OfflineLicenseRecord, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO offline_license (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            Array(license.account.utf8).data, license.device.bytes.data, license.streamID.data, license.titleID?.data,
            license.assetID.data, license.granted, license.storageUntil, license.playback, license.until,
            license.firstPlaySeen, license.reported, license.end?.rawValue, license.ended,
        ])
    }
}
