package import FPSCrypto

/// Licenses as transactions: what an account may have at once, and what it had.
///
/// Any number of servers on one store agree, since every decision is one transaction.
package protocol GrantStore: Sendable {
    /// Decides by ``GrantRules`` and writes what comes of it, the audit record with it. When this returns, the outcome
    /// will survive a power failure, if the store survives one at all.
    ///
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` for a size out of bounds, ``KeyStoreError/Code/overloaded`` when
    ///   too many proposals wait.
    func grant(_ proposal: GrantProposal) async throws(KeyStoreError) -> GrantOutcome

    /// Writes the audit record of a request that is refused, and remembers its SPC and what the device reported, in one
    /// transaction.
    ///
    /// - Parameter now: the time, in Unix seconds.
    /// - Returns: ``RefusalOutcome/tampered`` when the SPC was changed on its way; the audit record then says so.
    func refuse(
        _ record: AuditRecord,
        evidence: SPCEvidence,
        now: Int64
    ) async throws(KeyStoreError) -> RefusalOutcome

    /// What a device has reported against itself, as far as it still binds at `time`, in Unix seconds.
    func deviceReport(_ device: DeviceHash, at time: Int64) async throws(KeyStoreError) -> DeviceReport

    /// Records what a Sync SPC tells, the audit record with it. An invalidation uses up its challenge.
    func record(_ claim: SyncClaim) async throws(KeyStoreError) -> SyncOutcome

    /// A challenge that one Sync SPC of this account may carry until `expires`, in Unix seconds. Never 0.
    func makeChallenge(account: String, now: Int64, expires: Int64) async throws(KeyStoreError) -> UInt64

    /// The rental of a subject, whether it has ended or not.
    func rental(account: String, subject: RentalSubject) async throws(KeyStoreError) -> RentalRecord?

    /// Leases that had not run out at `time`, by account (nil: of all) and place; up to `limit` (1 to 1,000) after the given one.
    func leases(
        account: String?,
        at time: Int64,
        after last: LeaseRecord?,
        limit: Int
    ) async throws(KeyStoreError) -> [LeaseRecord]

    /// How many leases had not run out at `time`, over all accounts.
    func leaseCount(at time: Int64) async throws(KeyStoreError) -> Int

    /// Ends a lease: its session gets no more keys at this place, with a slot or without, until a day after the lease has
    /// run out. False when there is none.
    @discardableResult
    func endLease(
        account: String,
        place: PlaybackPlace,
        now: Int64,
        audit: AuditRecord
    ) async throws(KeyStoreError) -> Bool

    /// The devices of an account, in the order of their hashes.
    func devices(account: String) async throws(KeyStoreError) -> [DeviceRecord]

    /// Forgets a device, which makes room for another. False when the account has no such device.
    @discardableResult
    func forgetDevice(account: String, device: DeviceHash, audit: AuditRecord) async throws(KeyStoreError) -> Bool

    /// The kept keys of an account, in the order of device and stream ID.
    func offlineLicenses(account: String) async throws(KeyStoreError) -> [OfflineLicenseRecord]

    /// The kept keys of all accounts, in the order of account, device and stream ID, each by its bytes; up to `limit` (1 to
    /// 1,000) after the given one. Of that one only account, device and stream ID count.
    ///
    /// - Parameter time: only those that ``OfflineLicenseRecord/isPlayable(at:)`` then, in Unix seconds; nil for all that
    ///   there ever were.
    func offlineLicenses(
        playableAt time: Int64?,
        after last: OfflineLicenseRecord?,
        limit: Int
    ) async throws(KeyStoreError) -> [OfflineLicenseRecord]

    /// Revokes a kept key: it is given no more. False when there is no such record, or it had ended.
    @discardableResult
    func revokeOfflineLicense(
        account: String,
        device: DeviceHash,
        streamID: [UInt8],
        now: Int64,
        audit: AuditRecord
    ) async throws(KeyStoreError) -> Bool

    /// The rentals of an account, in the order of their subjects: titles before assets.
    func rentals(account: String) async throws(KeyStoreError) -> [RentalRecord]

    /// Forgets a rental, so that the next license begins a new one. False when there is none.
    @discardableResult
    func forgetRental(account: String, subject: RentalSubject, audit: AuditRecord) async throws(KeyStoreError) -> Bool

    /// Forgets replay records, token bindings, challenges, leases, ended sessions, SPCs and reports of devices that are of no
    /// use at `time`; how many.
    ///
    /// - Parameter limit: how many SPCs are remembered at most; of more the oldest are forgotten.
    @discardableResult
    func prune(at time: Int64, keepingSPCs limit: Int) async throws(KeyStoreError) -> Int

    /// The keyed hash under which a request is remembered: HMAC-SHA256, 32 bytes, with a secret that all servers on this
    /// store share.
    func replayKey(r1: SecretBytes, account: String, certificateHash: [UInt8]) -> [UInt8]
}

extension GrantStore {
    /// How many SPCs a store remembers, unless it is told otherwise. Each takes about 100 bytes, so that it is 1 GB at most.
    package static var rememberedSPCs: Int { 10_000_000 }

    /// Forgets what is of no use at `time`, and of more than ``rememberedSPCs`` SPCs the oldest; how many records.
    @discardableResult
    package func prune(at time: Int64) async throws(KeyStoreError) -> Int {
        try await prune(at: time, keepingSPCs: Self.rememberedSPCs)
    }
}
