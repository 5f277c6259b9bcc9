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
