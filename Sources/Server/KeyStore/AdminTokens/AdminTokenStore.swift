/// Tokens for administration by name, and by their hash. They are few.
package protocol AdminTokenStore: Sendable {
    /// The token with this hash of 32 bytes, or nil.
    func adminToken(hash: [UInt8]) async throws(KeyStoreError) -> AdminTokenRecord?

    /// All tokens in the order of their names.
    func adminTokens() async throws(KeyStoreError) -> [AdminTokenRecord]

    /// Keeps a token.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when there is one of that name or hash: a token is never replaced, so
    ///   that its name means one thing in logs.
    func addAdminToken(_ record: AdminTokenRecord, audit: AuditRecord?) async throws(KeyStoreError)

    /// Forgets a token; false when it was not there.
    @discardableResult
    func deleteAdminToken(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool

    /// Notes that a token was used on a day, in days since 1970. Nothing happens when it is gone, or when that is known.
    func noteUse(ofAdminToken name: String, day: Int64) async throws(KeyStoreError)
}

extension InMemoryKeyStore {
    /// The token with this hash, or nil.
    package func adminToken(hash: [UInt8]) async throws(KeyStoreError) -> AdminTokenRecord? {
        catalog.adminTokens.values.first { $0.hash == hash }
    }

    /// All tokens in the order of their names.
    package func adminTokens() async throws(KeyStoreError) -> [AdminTokenRecord] {
        catalog.adminTokens.values.sorted { $0.name < $1.name }
    }

    /// Keeps a token.
    package func addAdminToken(_ record: AdminTokenRecord, audit: AuditRecord?) async throws(KeyStoreError) {
        let isThere = catalog.adminTokens.values.contains { $0.name == record.name || $0.hash == record.hash }
        guard !isThere else { throw .exists("admin token \(record.name)") }
        catalog.adminTokens[record.name] = record
        if let audit { self.audit.append(audit) }
    }

    /// Forgets a token.
    @discardableResult
    package func deleteAdminToken(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool {
        noting(audit, catalog.adminTokens.removeValue(forKey: name) != nil)
    }

    /// Notes that a token was used on a day.
    package func noteUse(ofAdminToken name: String, day: Int64) async throws(KeyStoreError) {
        guard let known = catalog.adminTokens[name]?.lastUsedDay, known >= day else {
            catalog.adminTokens[name]?.lastUsedDay = day
            return
        }
    }
}
