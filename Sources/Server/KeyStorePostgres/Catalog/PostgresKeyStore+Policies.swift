package import KeyStore

extension PostgresKeyStore {
    /// Returns the policy with this name, or nil.
    package func policy(name: String) async throws(KeyStoreError) -> PolicyRecord? {
        let query = PostgresQuery("SELECT name, document FROM policy WHERE name = $1", [.text(name)])
        return try await list(query, in: "policy", Self.policyRecord).first
    }

    /// Stores a policy.
    @discardableResult
    package func putPolicy(_ record: PolicyRecord, replacing: Bool, audit: AuditRecordProvider?)
        async throws(KeyStoreError)
        -> WriteOutcome
    {
        try await administer(in: "policy \(record.name)", audit: { audit?($0) }) { transaction in
            let previous = try transaction.rows("SELECT document FROM policy WHERE name = $1", .text(record.name)).first
            let alreadyExists = previous != nil
            guard !alreadyExists || replacing else { throw KeyStoreError.exists("policy \(record.name)") }
            let sql = """
                INSERT INTO policy (name, document) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET document = excluded.document
                """
            transaction.enqueue([PostgresQuery(sql, [.text(record.name), .bytes(record.document)])])
            if let change = PolicyChange(from: try previous?.requiredBytes(0), to: record, audit: audit) {
                transaction.enqueue(Self.recording(change))
            }
            return alreadyExists ? .replaced : .created
        }
    }

    /// Deletes a policy.
    @discardableResult
    package func deletePolicy(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        try await administer(in: "policy \(name)", audit: { $0 ? audit : nil }) { transaction in
            let uses = try transaction.run(
                ["content", "title", "track"].map { table in
                    PostgresQuery("SELECT policy_name FROM \(table) WHERE policy_name = $1 LIMIT 1", [.text(name)])
                }
            )
            guard uses.allSatisfy(\.rows.isEmpty) else { throw KeyStoreError.policyInUse(name) }
            let deleted = try transaction.rows("DELETE FROM policy WHERE name = $1 RETURNING document", .text(name))
            guard let document = try deleted.first?.requiredBytes(0) else { return false }
            transaction.enqueue(Self.recording(PolicyChange(deleting: name, document, audit: audit)))
            return true
        }
    }

    /// Returns policies, sorted by name.
    package func policies(after name: String?, limit: Int) async throws(KeyStoreError) -> [PolicyRecord] {
        let query = PostgresQuery(
            "SELECT name, document FROM policy WHERE name > $1 ORDER BY name LIMIT $2",
            [.text(name ?? ""), .integer(Int64(pageSize(limit)))]
        )
        return try await list(query, in: "policy", Self.policyRecord)
    }

    @Sendable
    static func policyRecord(_ row: PostgresRow) throws(KeyStoreError) -> PolicyRecord {
        try validatingStored { () throws(KeyStoreError) in
            try PolicyRecord(name: try row.requiredText(0), document: try row.requiredBytes(1))
        }
    }
}
