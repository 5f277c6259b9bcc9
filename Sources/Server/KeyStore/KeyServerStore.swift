/// The complete store of a key server.
///
/// Each concern has its own protocol; code should require the smallest protocol that it needs.
package protocol KeyServerStore: ContentStore, TitleStore, ChannelStore, PolicyStore, CertificateStore, AdminTokenStore,
    GrantStore, AuditLog, ListStore, SearchStore, ActivityStore
{
    /// Reloads the key-encryption keys from their source. New keys can decrypt at once, and encrypt when the store uses
    /// them. The call may wait for a command, so do not call it on an event loop.
    ///
    /// - Returns: The number of new keys.
    /// - Throws: ``KeyStoreError`` if the keys cannot be read; the known keys stay.
    @discardableResult
    func reloadKeys() throws(KeyStoreError) -> Int

    /// Writes in the same way as a license: to the same database, through the same queue, with the same durability.
    /// Each call overwrites the data of the previous call. It writes at least as much data as a license does.
    ///
    /// The call may take as long as the disk or the database does; it has no timeout.
    ///
    /// - Throws: The error that a license would currently fail with.
    func probeWrite() async throws(KeyStoreError)
}

/// Whether a write created or replaced a record.
package enum WriteOutcome: Sendable, Equatable {
    /// The record did not exist before.
    case created
    /// The record replaced another.
    case replaced
}

/// Content keys by asset ID.
package protocol ContentStore: Sendable {
    /// Returns the key of an asset with its title and track, or nil. Every license request needs only this read.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` or ``KeyStoreError/Code/wrongKEK`` if the key cannot be decrypted.
    func lookup(assetID: [UInt8]) async throws(KeyStoreError) -> ContentLookup?

    /// Returns the key with a 16-byte key ID, with its title and track, or nil. For clients that do not send an asset
    /// ID.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` or ``KeyStoreError/Code/wrongKEK`` if the key cannot be decrypted.
    func lookup(keyID: [UInt8]) async throws(KeyStoreError) -> ContentLookup?

    /// Returns the key of an asset, or nil.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` or ``KeyStoreError/Code/wrongKEK`` if the key cannot be decrypted.
    func content(assetID: [UInt8]) async throws(KeyStoreError) -> ContentRecord?

    /// Returns the stored keys with these 16-byte key IDs, in any order, with a single query.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` or ``KeyStoreError/Code/wrongKEK`` if a key cannot be decrypted.
    func contents(keyIDs: [[UInt8]]) async throws(KeyStoreError) -> [ContentRecord]

    /// Stores a record. Replacing preserves the time at which the asset ID was first stored. As with every change of
    /// the catalog, the audit record is written in the same transaction.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if the asset ID exists and `replacing` is false, or if another asset
    ///   has the key ID; ``KeyStoreError/Code/missingReference`` if the record's policy or track does not exist.
    @discardableResult
    func putContent(_ record: ContentRecord, replacing: Bool, audit: AuditRecordProvider?) async throws(KeyStoreError)
        -> WriteOutcome

    /// Deletes an asset's key. Returns false if it does not exist.
    @discardableResult
    func deleteContent(assetID: [UInt8], audit: AuditRecord?) async throws(KeyStoreError) -> Bool

    /// Returns up to `limit` assets (1 to 1,000) sorted by ID, after the given ID.
    func contents(after assetID: [UInt8]?, limit: Int) async throws(KeyStoreError) -> [ContentInfo]
}

extension ContentStore {
    /// Returns the key with a 16-byte key ID, or nil.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` or ``KeyStoreError/Code/wrongKEK`` if the key cannot be decrypted.
    package func content(keyID: [UInt8]) async throws(KeyStoreError) -> ContentRecord? {
        try await lookup(keyID: keyID)?.record
    }
}

/// License policies by name.
package protocol PolicyStore: Sendable {
    /// Returns the policy with this name, or nil.
    func policy(name: String) async throws(KeyStoreError) -> PolicyRecord?

    /// Stores a policy.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if the name exists and `replacing` is false.
    @discardableResult
    func putPolicy(_ record: PolicyRecord, replacing: Bool, audit: AuditRecordProvider?) async throws(KeyStoreError)
        -> WriteOutcome

    /// Deletes a policy. Returns false if it does not exist.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if content, a title or a track refers to the policy: that content
    ///   would silently fall back to the default policy.
    @discardableResult
    func deletePolicy(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool

    /// Returns up to `limit` policies (1 to 1,000) sorted by name, after the given name.
    func policies(after name: String?, limit: Int) async throws(KeyStoreError) -> [PolicyRecord]

    /// Returns up to `limit` changes (1 to 1,000) of a policy before the given number, the newest first, also of a
    /// policy that was deleted. The last ``PolicyChange/kept`` changes are kept; each is written in the transaction of
    /// the change, with the time and the actor of its audit record.
    func policyHistory(name: String, before number: Int64?, limit: Int) async throws(KeyStoreError) -> [PolicyChange]

    /// Returns the records that refer to a policy: their numbers, and the first `limit` (1 to 1,000) of each kind.
    func policyUses(name: String, limit: Int) async throws(KeyStoreError) -> PolicyUses
}

/// Certificate bundles by name. A store contains only a few.
package protocol CertificateStore: Sendable {
    /// Returns all bundles, sorted by name.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` if a bundle cannot be decrypted, also because its kind, certificate or
    ///   scope was changed in the database.
    func certificateBundles() async throws(KeyStoreError) -> [CertificateBundleRecord]

    /// Stores a bundle.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` if the name exists and `replacing` is false.
    @discardableResult
    func putCertificateBundle(
        _ record: CertificateBundleRecord,
        replacing: Bool,
        audit: AuditRecordProvider?
    ) async throws(KeyStoreError) -> WriteOutcome

    /// Deletes a bundle. Returns false if it does not exist.
    @discardableResult
    func deleteCertificateBundle(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool
}

/// The log of requests and their results.
package protocol AuditLog: Sendable {
    /// Appends a record. When this returns, the record is durable, if the store is durable at all.
    ///
    /// - Throws: ``KeyStoreError/Code/overloaded`` if too many records are waiting to be written.
    func append(_ record: AuditRecord) async throws(KeyStoreError)

    /// Returns up to `limit` entries (1 to 1,000) older than the given number, the newest first.
    func auditEntries(before number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry]

    /// Returns up to `limit` entries (1 to 1,000) newer than the given number, the oldest first.
    func auditEntries(after number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry]

    /// Returns up to `limit` entries (1 to 1,000) that match a filter and are older than the given number, the newest
    /// first. One call compares a limited number of entries, ``AuditPage/reach``, with conditions for which it uses no
    /// index, so a page may be short or empty without being the last.
    func auditEntries(matching filter: AuditFilter, before number: Int64?, limit: Int) async throws(KeyStoreError)
        -> AuditPage

    /// Verifies the complete log, with every entry of every node, against its hash chains.
    ///
    /// A chain reveals entries that were changed, removed or moved. It cannot reveal entries removed from the end; the
    /// log must therefore contain `head`, which the operator recorded earlier and stored elsewhere.
    ///
    /// - Throws: ``KeyStoreError`` if the log cannot be read. A broken chain is a result, not an error.
    func verifyAudit(expecting head: AuditHead?) async throws(KeyStoreError) -> AuditVerification

    /// Returns the hash of a device, keyed with a secret that all servers of this store share.
    func deviceHash(hu: [UInt8]) -> DeviceHash
}

extension AuditLog {
    /// Verifies the complete log against its hash chains; see ``verifyAudit(expecting:)``.
    package func verifyAudit() async throws(KeyStoreError) -> AuditVerification {
        try await verifyAudit(expecting: nil)
    }
}
