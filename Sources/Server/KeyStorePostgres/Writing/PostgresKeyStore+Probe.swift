package import KeyStore

extension PostgresKeyStore {
    /// Writes the end of the audit log again as it is: PostgreSQL writes a row also when nothing in it changes.
    package func probeWrite() async throws(KeyStoreError) {
        try await writes.perform(in: "audit_head", locks: []) { _, _ in
            Decided(value: (), writes: [PostgresQuery("UPDATE audit_head SET number = number")])
        }
    }
}
