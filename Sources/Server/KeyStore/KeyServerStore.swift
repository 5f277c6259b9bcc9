/// Everything that a key server keeps.
///
/// Each concern has a protocol of its own; code takes the smallest one that it needs.
package protocol KeyServerStore: ContentStore, TitleStore, ChannelStore, PolicyStore, CertificateStore, AdminTokenStore,
    GrantStore, AuditLog
{
    /// Reads the key-encryption keys again where they come from, and takes new ones for opening, and for sealing once the
    /// store uses them. It may wait for a command: not for an event loop.
    ///
    /// - Returns: how many are new.
    /// - Throws: ``KeyStoreError`` when they cannot be read; those that are known stay.
    @discardableResult
    func readKeysAgain() throws(KeyStoreError) -> Int

    /// Writes as a license does: in the same database, in the same queue, as durably. It overwrites what the last call wrote,
    /// and takes at least as much room as the records of a license.
    ///
    /// It may take as long as the disk or the database does, and has no deadline of its own.
    ///
    /// - Throws: what a license would fail with at this moment.
    func probeWrite() async throws(KeyStoreError)
}

/// What a write found.
package enum WriteOutcome: Sendable, Equatable {
    /// There was no such record.
    case created
    /// The record took the place of another.
    case replaced
}

/// Content keys by asset ID.
package protocol ContentStore: Sendable {
    /// The key of an asset with its title and track, or nil. This is the one read that every license needs.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` or ``KeyStoreError/Code/wrongKEK`` when the key does not open.
    func lookup(assetID: [UInt8]) async throws(KeyStoreError) -> ContentLookup?

    /// The key with a key ID of 16 bytes, with its title and track, or nil. For clients that know no asset IDs.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` or ``KeyStoreError/Code/wrongKEK`` when the key does not open.
    func lookup(keyID: [UInt8]) async throws(KeyStoreError) -> ContentLookup?

    /// The key of an asset, or nil.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` or ``KeyStoreError/Code/wrongKEK`` when the key does not open.
    func content(assetID: [UInt8]) async throws(KeyStoreError) -> ContentRecord?

    /// The keys with these key IDs of 16 bytes each, those that are stored, in any order. One read, however many they are.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` or ``KeyStoreError/Code/wrongKEK`` when a key does not open.
    func contents(keyIDs: [[UInt8]]) async throws(KeyStoreError) -> [ContentRecord]

    /// Keeps a record. Replacing keeps the time at which the asset ID was first stored. As with every change of the
    /// catalog, the audit record that is given is written in the same transaction.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when the asset ID is there and `replacing` is false, or when another
    ///   asset has the key ID; ``KeyStoreError/Code/missingReference`` when the record's policy or track is not there.
    @discardableResult
    func putContent(_ record: ContentRecord, replacing: Bool, audit: AuditNote?) async throws(KeyStoreError)
        -> WriteOutcome

    /// Forgets an asset; false when it was not there.
    @discardableResult
    func deleteContent(assetID: [UInt8], audit: AuditRecord?) async throws(KeyStoreError) -> Bool

    /// Up to `limit` assets (1 to 1,000) in the order of their IDs, after the given one.
    func contents(after assetID: [UInt8]?, limit: Int) async throws(KeyStoreError) -> [ContentInfo]
}

extension ContentStore {
    /// The key with a key ID of 16 bytes, or nil.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` or ``KeyStoreError/Code/wrongKEK`` when the key does not open.
    package func content(keyID: [UInt8]) async throws(KeyStoreError) -> ContentRecord? {
        try await lookup(keyID: keyID)?.record
    }
}

/// License policies by name.
package protocol PolicyStore: Sendable {
    /// The policy of that name, or nil.
    func policy(name: String) async throws(KeyStoreError) -> PolicyRecord?

    /// Keeps a policy.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when the name is there and `replacing` is false.
    @discardableResult
    func putPolicy(_ record: PolicyRecord, replacing: Bool, audit: AuditNote?) async throws(KeyStoreError)
        -> WriteOutcome

    /// Forgets a policy; false when it was not there.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when content, a title or a track still refers to it: that content would
    ///   silently fall back to the default policy.
    @discardableResult
    func deletePolicy(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool

    /// Up to `limit` policies (1 to 1,000) in the order of their names, after the given one.
    func policies(after name: String?, limit: Int) async throws(KeyStoreError) -> [PolicyRecord]
}

/// Certificate bundles by name. They are few.
package protocol CertificateStore: Sendable {
    /// All bundles in the order of their names.
    ///
    /// - Throws: ``KeyStoreError/Code/corrupt`` when one does not open, which is also the answer when its kind,
    ///   certificate or scope was changed behind the store's back.
    func certificateBundles() async throws(KeyStoreError) -> [CertificateBundleRecord]

    /// Keeps a bundle.
    ///
    /// - Throws: ``KeyStoreError/Code/conflict`` when the name is there and `replacing` is false.
    @discardableResult
    func putCertificateBundle(
        _ record: CertificateBundleRecord,
        replacing: Bool,
        audit: AuditNote?
    ) async throws(KeyStoreError) -> WriteOutcome

    /// Forgets a bundle; false when it was not there.
    @discardableResult
    func deleteCertificateBundle(name: String, audit: AuditRecord?) async throws(KeyStoreError) -> Bool
}

/// What was asked and what was answered.
package protocol AuditLog: Sendable {
    /// Adds a record. When this returns, the record will survive a power failure, if the store survives one at all.
    ///
    /// - Throws: ``KeyStoreError/Code/overloaded`` when too many records wait to be written.
    func append(_ record: AuditRecord) async throws(KeyStoreError)

    /// Up to `limit` entries (1 to 1,000), the newest first, older than the given number.
    func auditEntries(before number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry]

    /// Up to `limit` entries (1 to 1,000), the oldest first, newer than the given number.
    func auditEntries(after number: Int64?, limit: Int) async throws(KeyStoreError) -> [AuditEntry]

    /// Holds the whole log against its hash chains: every entry of every node, from the beginning.
    ///
    /// A chain shows what was changed, taken out or moved. Entries that were cut off at the end it cannot show by itself;
    /// `head`, as noted at an earlier time and kept elsewhere, must be met for the log to be whole.
    ///
    /// - Throws: ``KeyStoreError`` when the log cannot be read. A broken log is an answer, not an error.
    func verifyAudit(expecting head: AuditHead?) async throws(KeyStoreError) -> AuditVerification

    /// The hash that stands for a device, keyed with a secret that all servers on this store share.
    func deviceHash(hu: [UInt8]) -> DeviceHash
}

extension AuditLog {
    /// Holds the whole log against its hash chains; see ``verifyAudit(expecting:)``.
    package func verifyAudit() async throws(KeyStoreError) -> AuditVerification {
        try await verifyAudit(expecting: nil)
    }
}
