import GRDB
public import KeyStore

extension SQLiteKeyStore {
    /// Entries, the newest first.
    public func auditEntries(before number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry] {
        try await translatingErrors(in: "audit") {
            try await pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT number, milliseconds, route, outcome, detail, transaction_id, session_id, asset_id,
                            device, device_class, bundle_name, policy_name, remote_address, microseconds, request_id
                        FROM audit WHERE number < ? ORDER BY number DESC LIMIT ?
                        """,
                    arguments: [number ?? Int64.max, pageSize(limit)]
                ).map(Self.auditEntry)
            }
        }
    }

    private static func auditEntry(_ row: Row) -> AuditEntry {
        var record = AuditRecord(milliseconds: row[1], route: row[2], outcome: row[3], microseconds: row[13])
        record.detail = row[4]
        record.transactionID = (row[5] as Int64?).map { UInt64(bitPattern: $0) }
        record.sessionID = (row[6] as Int64?).map { UInt64(bitPattern: $0) }
        record.assetID = row.bytes(7)
        record.device = row.bytes(8).flatMap { DeviceHash(stored: $0) }
        record.deviceClass = row[9]
        record.bundleName = row[10]
        record.policyName = row[11]
        record.remoteAddress = row[12]
        record.requestID = row[14]
        return AuditEntry(number: row[0], record: record)
    }
}
