package import KeyStore

extension PostgresKeyStore {
    /// Appends a record. Records that arrive while the database is busy share the next transaction.
    package func append(_ record: AuditRecord) async throws(KeyStoreError) {
        try await writes.perform(in: "audit", locks: []) { _, _ in JobResult(value: (), audit: [record]) }
    }

    /// Returns entries, the newest first.
    package func auditEntries(before number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry] {
        try await auditEntries("number < $1 ORDER BY number DESC", number ?? Int64.max, limit)
    }

    /// Returns entries, the oldest first.
    package func auditEntries(after number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry] {
        try await auditEntries("number > $1 ORDER BY number", number ?? Int64.min, limit)
    }

    /// Verifies the complete log against its hash chain. The log must also contain the last entry that the store
    /// recorded.
    package func verifyAudit(expecting head: AuditHead?) async throws(KeyStoreError) -> AuditVerification {
        let sql = "SELECT \(AuditHeadRow.columns) FROM audit_head"
        let last = try await list(PostgresQuery(sql), in: "audit_head") { try AuditHeadRow($0).head }
        return try await verifyPages(expecting: last + (head.map { [$0] } ?? []))
    }

    private func auditEntries(
        _ condition: String,
        _ number: Int64,
        _ limit: Int
    ) async throws(KeyStoreError) -> [AuditEntry] {
        let query = PostgresQuery(
            "SELECT \(PostgresAuditRow.columns) FROM audit WHERE \(condition) LIMIT $2",
            [.integer(number), .integer(Int64(pageSize(limit)))]
        )
        return try await list(query, in: "audit") { try PostgresAuditRow.entry($0) }
    }
}
