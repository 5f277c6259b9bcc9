import GRDB
public import KeyStore

extension SQLiteKeyStore {
    /// Adds a record. Records that arrive while the disk is busy share the next commit.
    public func append(_ record: AuditRecord) async throws(KeyStoreError) {
        try await writes.perform(in: "audit") { try $0.append(record) }
    }

    /// Entries, the newest first.
    public func auditEntries(before number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry] {
        try await auditEntries("number < ? ORDER BY number DESC", number ?? Int64.max, limit)
    }

    /// Entries, the oldest first.
    public func auditEntries(after number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry] {
        try await auditEntries("number > ? ORDER BY number", number ?? Int64.min, limit)
    }

    /// Holds the whole log against its hash chains, page by page, so that writers need not wait. The store's own note of
    /// the last entry has to be met too.
    public func verifyAudit(expecting head: AuditHead?) async throws(KeyStoreError) -> AuditVerification {
        let last = try await translatingErrors(in: "audit") { try await pool.read { db in try AuditRow.head(db) } }
        var verifier = AuditVerifier(expecting: [last] + (head.map { [$0] } ?? []))
        var number: Int64?
        while true {
            let page = try await auditEntries(after: number, limit: 1_000)
            for entry in page { guard verifier.take(entry) else { return verifier.finish() } }
            guard let next = page.last?.number else { return verifier.finish() }
            number = next
        }
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
                    sql: "SELECT \(AuditRow.columns) FROM audit WHERE \(condition) LIMIT ?",
                    arguments: [number, pageSize(limit)]
                ).map(AuditRow.entry)
            }
        }
    }
}
