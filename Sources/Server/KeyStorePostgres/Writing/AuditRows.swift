import KeyStore

// The rows of the tables `audit` and `audit_head`: reading and writing, in the order of the columns.

/// A row of the table `audit`.
enum PostgresAuditRow {
    static let columns = """
        number, node, sequence, hash, milliseconds, route, outcome, detail, transaction_id, session_id, asset_id, \
        device, device_class, bundle_name, policy_name, request_id, remote_address, microseconds, account
        """

    /// Creates an entry from a row with exactly these columns.
    static func entry(_ row: PostgresRow) throws(KeyStoreError) -> AuditEntry {
        var record = AuditRecord(
            milliseconds: try row.requiredInteger(4),
            route: try row.requiredText(5),
            outcome: try row.requiredText(6),
            microseconds: try row.requiredInteger(17)
        )
        record.detail = row.text(7)
        record.transactionID = row.unsigned(8)
        record.sessionID = row.unsigned(9)
        record.assetID = row.bytes(10)
        record.device = row.bytes(11).flatMap { DeviceHash(stored: $0) }
        record.deviceClass = row.text(12)
        record.bundleName = row.text(13)
        record.policyName = row.text(14)
        record.requestID = row.text(15)
        record.remoteAddress = row.text(16)
        record.account = row.text(18)
        return AuditEntry(
            number: try row.requiredInteger(0),
            node: try row.requiredBytes(1),
            sequence: try row.requiredInteger(2),
            hash: try row.requiredBytes(3),
            record: record
        )
    }

    static func insertion(_ entry: AuditEntry) -> PostgresQuery {
        let record = entry.record
        return PostgresQuery(
            """
            INSERT INTO audit (\(columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
            """,
            [
                .integer(entry.number), .bytes(entry.node), .integer(entry.sequence), .bytes(entry.hash),
                .integer(record.milliseconds), .text(record.route), .text(record.outcome), .init(record.detail),
                .init(bits: record.transactionID), .init(bits: record.sessionID), .init(record.assetID),
                .init(record.device?.bytes), .init(record.deviceClass), .init(record.bundleName),
                .init(record.policyName), .init(record.requestID), .init(record.remoteAddress),
                .integer(record.microseconds), .init(record.account),
            ]
        )
    }
}

/// The only row of the table `audit_head`: the head of the log.
///
/// Servers extend one shared chain. Each transaction locks this row until its commit, so entry numbers have no gaps,
/// and a reader that continues from a number misses no entry.
struct AuditHeadRow {
    let head: AuditHead
    /// The number of the last entry.
    let number: Int64

    static let columns = "node, sequence, hash, number"

    /// Locks the row until the transaction ends, and returns it.
    static func lock(_ transaction: inout PostgresTransaction) throws -> AuditHeadRow {
        try AuditHeadRow(try transaction.rows("SELECT \(columns) FROM audit_head FOR UPDATE").first)
    }

    init(_ row: PostgresRow?) throws(KeyStoreError) {
        guard let row else { throw KeyStoreError(.corrupt, place: "audit_head") }
        head = AuditHead(
            node: try row.requiredBytes(0),
            sequence: try row.requiredInteger(1),
            hash: try row.requiredBytes(2)
        )
        number = try row.requiredInteger(3)
    }

    /// Returns the statements that append these records.
    func appending(_ records: [AuditRecord]) throws(KeyStoreError) -> [PostgresQuery] {
        var (head, number) = (head, number)
        var queries: [PostgresQuery] = []
        for record in records {
            head = head.appending(record)
            number += 1
            let query = PostgresAuditRow.insertion(
                AuditEntry(number: number, node: head.node, sequence: head.sequence, hash: head.hash, record: record)
            )
            queries.append(query)
        }
        queries.append(
            PostgresQuery(
                "UPDATE audit_head SET sequence = $1, hash = $2, number = $3",
                [.integer(head.sequence), .bytes(head.hash), .integer(number)]
            )
        )
        return queries
    }
}
