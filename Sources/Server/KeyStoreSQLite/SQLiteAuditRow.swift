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
            record: recordWithAccount(row)
        )
    }

    private static func recordWithAccount(_ row: Row) -> AuditRecord {
        var record = record(row, from: 4)
        record.account = row[18]
        return record
    }

    /// Creates a record from the columns from `start` on: `milliseconds` to `microseconds`.
    static func record(_ row: Row, from start: Int) -> AuditRecord {
        var record = AuditRecord(
            milliseconds: row[start],
            route: row[start + 1],
            outcome: row[start + 2],
            microseconds: row[start + 13]
        )
        record.detail = row[start + 3]
        record.transactionID = (row[start + 4] as Int64?).map { UInt64(bitPattern: $0) }
        record.sessionID = (row[start + 5] as Int64?).map { UInt64(bitPattern: $0) }
        record.assetID = row.bytes(start + 6)
        record.device = row.bytes(start + 7).flatMap { DeviceHash(stored: $0) }
        record.deviceClass = row[start + 8]
        record.bundleName = row[start + 9]
        record.policyName = row[start + 10]
        record.requestID = row[start + 11]
        record.remoteAddress = row[start + 12]
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
        let statement = try db.cachedStatement(sql: "SELECT node, sequence, hash FROM audit_node")
        guard let row = try Row.fetchOne(statement) else { throw KeyStoreError(.corrupt, place: "audit_node") }
        return AuditHead(node: row.bytes(0) ?? [], sequence: row[1], hash: row.bytes(2) ?? [])
    }
}
