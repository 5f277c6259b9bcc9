package import KeyStore

extension InMemoryKeyStore {
    /// Returns the token with this hash, or nil.
    package func adminToken(hash: [UInt8]) async throws(KeyStoreError) -> AdminTokenRecord? {
        catalog.adminTokens.values.first { $0.hash == hash }
    }

    /// Returns all tokens, sorted by name.
    package func adminTokens() async throws(KeyStoreError) -> [AdminTokenRecord] {
        catalog.adminTokens.values.sorted { $0.name < $1.name }
    }

    /// Stores a new token.
    package func addAdminToken(_ record: AdminTokenRecord, audit: AuditRecord?) async throws(KeyStoreError) {
        let alreadyExists = catalog.adminTokens.values.contains { $0.name == record.name || $0.hash == record.hash }
        guard !alreadyExists else { throw .exists("admin token \(record.name)") }
        catalog.adminTokens[record.name] = record
        if let audit { self.audit.append(audit) }
    }

    /// Deletes a token.
    @discardableResult
    package func deleteAdminToken(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        auditing(audit, catalog.adminTokens.removeValue(forKey: name) != nil)
    }

    /// Records that a token was used on a day.
    package func noteUse(ofAdminToken name: String, day: Int64) async throws(KeyStoreError) {
        guard let known = catalog.adminTokens[name]?.lastUsedDay, known >= day else {
            catalog.adminTokens[name]?.lastUsedDay = day
            return
        }
    }
}
