import FoundationEssentials
import GRDB
import KeyStore

/// A row of the table `audit`.
enum SQLiteAuditRow {
    static let columns = """
        number, node, sequence, hash, milliseconds, route, outcome, detail, transaction_id, session_id, asset_id, \
        device, device_class, bundle_name, policy_name, request_id, remote_address, microseconds, account
        """

    /// Creates an entry from a row with exactly these columns.
    static func entry(_ row: Row) -> AuditEntry {
        AuditEntry(
            number: row[0],
            node: row.bytes(1) ?? [],
            sequence: row[2],
            hash: row.bytes(3) ?? [],
            record: record(row)
        )
    }

    private static func record(_ row: Row) -> AuditRecord {
        var record = AuditRecord(milliseconds: row[4], route: row[5], outcome: row[6], microseconds: row[17])
        record.detail = row[7]
        record.transactionID = row.unsigned(8)
        record.sessionID = row.unsigned(9)
        record.assetID = row.bytes(10)
        record.device = row.bytes(11).flatMap { DeviceHash(stored: $0) }
        record.deviceClass = row[12]
        record.bundleName = row[13]
        record.policyName = row[14]
        record.requestID = row[15]
        record.remoteAddress = row[16]
        record.account = row[18]
        return record
    }

    static func insert(_ record: AuditRecord, _ head: AuditHead, _ db: Database) throws {
        try db.cachedStatement(sql: insertion)
            .execute(arguments: [
                head.node.data, head.sequence, head.hash.data,
                record.milliseconds, record.route, record.outcome, record.detail,
                record.transactionID.map { Int64(bitPattern: $0) }, record.sessionID.map { Int64(bitPattern: $0) },
                record.assetID?.data, record.device?.bytes.data,
                record.deviceClass, record.bundleName, record.policyName, record.requestID, record.remoteAddress,
                record.microseconds, record.account,
            ])
    }

    private static let insertion = """
        INSERT INTO audit (node, sequence, hash, milliseconds, route, outcome, detail, transaction_id, session_id,
            asset_id, device, device_class, bundle_name, policy_name, request_id, remote_address, microseconds,
            account)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Returns the last link of this store's chain.
    static func head(_ db: Database) throws -> AuditHead {
        let statement = try db.cachedStatement(sql: "SELECT node, sequence, hash FROM audit_head")
        guard let row = try Row.fetchOne(statement) else { throw KeyStoreError(.corrupt, place: "audit_head") }
        return AuditHead(node: row.bytes(0) ?? [], sequence: row[1], hash: row.bytes(2) ?? [])
    }
}
