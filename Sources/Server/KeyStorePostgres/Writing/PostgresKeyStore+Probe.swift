package import KeyStore

extension PostgresKeyStore {
    /// Rewrites the head of the audit log without a change: PostgreSQL writes the row even if its values stay the same.
    package func probeWrite() async throws(KeyStoreError) {
        try await writes.perform(in: "audit_head", locks: []) { _, _ in
            JobResult(value: (), writes: [PostgresQuery("UPDATE audit_head SET number = number")])
        }
    }
}
