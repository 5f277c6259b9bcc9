import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Appends a record. Records that arrive while the disk is busy share the next commit.
    package func append(_ record: AuditRecord) async throws(KeyStoreError) {
        try await writes.perform(in: "audit") { try $0.append(record) }
    }

    /// Returns entries, the newest first.
    package func auditEntries(before number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry] {
        try await auditEntries("number < ? ORDER BY number DESC", number ?? Int64.max, limit)
    }

    /// Returns entries, the oldest first.
    package func auditEntries(after number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry] {
        try await auditEntries("number > ? ORDER BY number", number ?? Int64.min, limit)
    }

    /// Verifies the complete log against its hash chains. The log must also contain the last entry that the store
    /// recorded.
    package func verifyAudit(expecting head: AuditHead?) async throws(KeyStoreError) -> AuditVerification {
        let last = try await translatingErrors(in: "audit") {
            try await pool.read { db in try SQLiteAuditRow.head(db) }
        }
        return try await verifyPages(expecting: [last] + (head.map { [$0] } ?? []))
    }

    private func auditEntries(
        _ condition: String,
        _ number: Int64,
        _ limit: Int
    ) async throws(KeyStoreError) -> [AuditEntry] {
        try await translatingErrors(in: "audit") {
            try await pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: "SELECT \(SQLiteAuditRow.columns) FROM audit WHERE \(condition) LIMIT ?",
                    arguments: [number, pageSize(limit)]
                ).map(SQLiteAuditRow.entry)
            }
        }
    }
}
