/// Tokens for administration, by name and by hash. A store contains only a few.
package protocol AdminTokenStore: Sendable {
    /// Returns the token with this 32-byte hash, or nil.
    func adminToken(hash: [UInt8]) async throws(KeyStoreError) -> AdminTokenRecord?

    /// Returns all tokens, sorted by name.
    func adminTokens() async throws(KeyStoreError) -> [AdminTokenRecord]

    /// Stores a new token.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if a token with this name or hash exists. A token is never replaced,
    ///   so that its name identifies one token in logs.
    func addAdminToken(_ record: AdminTokenRecord, audit: AuditRecord?) async throws(KeyStoreError)

    /// Deletes a token. Returns false if it does not exist.
    @discardableResult
    func deleteAdminToken(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool

    /// Records that a token was used on a day, in days since 1970. Does nothing if the token does not exist or the day
    /// is already recorded.
    func noteUse(ofAdminToken name: String, day: Int64) async throws(KeyStoreError)
}

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
