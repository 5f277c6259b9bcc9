package import FPSCrypto

/// Licenses as transactions: what an account may have at the same time, and what it had.
///
/// Every decision is one transaction, so several servers can share a store.
package protocol GrantStore: Sendable {
    /// Decides by ``GrantRules`` and writes the result with its audit record. When this returns, the result is durable,
    /// if the store is durable at all.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a size is out of bounds, ``KeyStoreError/Code/overloaded`` if
    ///   too many proposals are waiting.
    func grant(_ proposal: GrantProposal) async throws(KeyStoreError) -> GrantOutcome

    /// Writes the audit record of a refused request, and stores the fingerprint of its SPC and the facts that the
    /// device reported, in one transaction.
    ///
    /// - Parameter now: The time, in Unix seconds.
    /// - Returns: ``RefusalOutcome/tampered`` if the SPC was changed in transit; the audit record then has this
    ///   outcome.
    func refuse(
        _ record: AuditRecord,
        evidence: SPCEvidence,
        now: Int64
    ) async throws(KeyStoreError) -> RefusalOutcome

    /// Returns the facts that a device has reported against itself and that have not expired at `time`, in Unix
    /// seconds.
    func deviceReport(_ device: DeviceHash, at time: Int64) async throws(KeyStoreError) -> DeviceReport

    /// Records the report of a Sync SPC with its audit record. An invalidation uses up its challenge.
    func record(_ claim: SyncClaim) async throws(KeyStoreError) -> SyncOutcome

    /// Returns a challenge that one Sync SPC of this account may use until `expires`, in Unix seconds. Never 0.
    func createChallenge(account: String, now: Int64, expires: Int64) async throws(KeyStoreError) -> UInt64

    /// Returns the rental of a subject, even if it has ended.
    func rental(account: String, subject: RentalSubject) async throws(KeyStoreError) -> RentalRecord?

    /// Returns leases that have not expired at `time`, of one account or all (nil), sorted by account and client; up to
    /// `limit` (1 to 1,000) after the given lease.
    func leases(
        account: String?,
        at time: Int64,
        after last: LeaseRecord?,
        limit: Int
    ) async throws(KeyStoreError) -> [LeaseRecord]

    /// Returns the number of leases of all accounts that have not expired at `time`.
    func leaseCount(at time: Int64) async throws(KeyStoreError) -> Int

    /// Ends a lease: its session gets no more keys on this client, with or without a slot, until a day after the lease
    /// has expired. Returns false if there is no such lease.
    @discardableResult
    func endLease(
        account: String,
        client: PlaybackClient,
        now: Int64,
        audit: AuditRecord
    ) async throws(KeyStoreError) -> Bool

    /// Returns the devices of an account, sorted by hash.
    func devices(account: String) async throws(KeyStoreError) -> [DeviceRecord]

    /// Deletes a device, so that the account can add another. Returns false if the account has no such device.
    @discardableResult
    func deleteDevice(account: String, device: DeviceHash, audit: AuditRecord) async throws(KeyStoreError) -> Bool

    /// Returns the persistent keys of an account, sorted by device and stream ID.
    func offlineLicenses(account: String) async throws(KeyStoreError) -> [OfflineLicenseRecord]

    /// Returns the persistent keys of all accounts, sorted by the bytes of account, device and stream ID; up to `limit`
    /// (1 to 1,000) after the given one, of which only account, device and stream ID are used.
    ///
    /// - Parameter time: Return only keys that are playable at this time, in Unix seconds; see
    ///   ``OfflineLicenseRecord/isPlayable(at:)``. Nil returns all keys.
    func offlineLicenses(
        playableAt time: Int64?,
        after last: OfflineLicenseRecord?,
        limit: Int
    ) async throws(KeyStoreError) -> [OfflineLicenseRecord]

    /// Revokes a persistent key: it is not issued again. Returns false if there is no such record, or if it has ended.
    @discardableResult
    func revokeOfflineLicense(
        account: String,
        device: DeviceHash,
        streamID: [UInt8],
        now: Int64,
        audit: AuditRecord
    ) async throws(KeyStoreError) -> Bool

    /// Returns the rentals of an account, sorted by subject: titles before assets.
    func rentals(account: String) async throws(KeyStoreError) -> [RentalRecord]

    /// Deletes a rental, so that the next license starts a new one. Returns false if there is no such rental.
    @discardableResult
    func deleteRental(account: String, subject: RentalSubject, audit: AuditRecord) async throws(KeyStoreError) -> Bool

    /// Deletes replay records, token bindings, challenges, leases, ended sessions, SPCs and device reports that have
    /// expired at `time`. Returns the number of deleted records.
    ///
    /// - Parameter limit: The maximum number of stored SPCs; the oldest are deleted first.
    @discardableResult
    func prune(at time: Int64, keepingSPCs limit: Int) async throws(KeyStoreError) -> Int

    /// Returns the keyed hash by which a request's replay record is stored: HMAC-SHA256, 32 bytes, with a secret that
    /// all servers of this store share.
    func replayKey(r1: SecretBytes, account: String, certificateHash: [UInt8]) -> [UInt8]
}

extension GrantStore {
    /// The default maximum number of stored SPCs. Each takes about 100 bytes, at most 1 GB in total.
    package static var rememberedSPCs: Int { 10_000_000 }

    /// Deletes records that have expired at `time`, and the oldest SPCs beyond ``rememberedSPCs``. Returns the number
    /// of deleted records.
    @discardableResult
    package func prune(at time: Int64) async throws(KeyStoreError) -> Int {
        try await prune(at: time, keepingSPCs: Self.rememberedSPCs)
    }
}
