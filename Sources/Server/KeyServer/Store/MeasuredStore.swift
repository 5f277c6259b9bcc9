import FPSCrypto
import KeyStore

/// A wrapper for the store that measures every call for licenses and keys.
struct MeasuredStore: Sendable {
    private let store: any KeyServerStore
    private let metrics: ServerMetrics?

    init(_ store: any KeyServerStore, _ metrics: ServerMetrics?) {
        self.store = store
        self.metrics = metrics
    }

    func lookup(assetID: [UInt8]) async throws(KeyStoreError) -> ContentLookup? {
        let start = start
        defer { end(start, writing: false) }
        return try await store.lookup(assetID: assetID)
    }

    /// Returns the content for a name in an SPC, which is its asset ID or an ``AssetAlias``, if any.
    ///
    /// The alias is looked up first. The result is then cached with the catalog version from before the lookup of the
    /// name itself, so that content that is added under that name invalidates it.
    func lookup(name: [UInt8]) async throws(KeyStoreError) -> ContentLookup? {
        var alias: ContentLookup?
        for reading in AssetAlias.readings(of: name) where alias == nil {
            switch reading {
            case .assetID(let assetID): alias = try await lookup(assetID: assetID)
            case .keyID(let keyID): alias = try await lookup(keyID: keyID)
            }
        }
        return try await lookup(assetID: name) ?? alias
    }

    func lookup(keyID: [UInt8]) async throws(KeyStoreError) -> ContentLookup? {
        let start = start
        defer { end(start, writing: false) }
        return try await store.lookup(keyID: keyID)
    }

    func policy(name: String) async throws(KeyStoreError) -> PolicyRecord? {
        let start = start
        defer { end(start, writing: false) }
        return try await store.policy(name: name)
    }

    func rental(account: String, subject: RentalSubject) async throws(KeyStoreError) -> RentalRecord? {
        let start = start
        defer { end(start, writing: false) }
        return try await store.rental(account: account, subject: subject)
    }

    func grant(_ proposal: GrantProposal) async throws(KeyStoreError) -> GrantOutcome {
        let start = start
        defer { end(start, writing: true) }
        return try await counted { () throws(KeyStoreError) in try await store.grant(proposal) }
    }

    func record(_ claim: SyncClaim) async throws(KeyStoreError) -> SyncOutcome {
        let start = start
        defer { end(start, writing: true) }
        return try await counted { () throws(KeyStoreError) in try await store.record(claim) }
    }

    func createChallenge(account: String, now: Int64, expires: Int64) async throws(KeyStoreError) -> UInt64 {
        let start = start
        defer { end(start, writing: true) }
        return try await counted { () throws(KeyStoreError) in
            try await store.createChallenge(account: account, now: now, expires: expires)
        }
    }

    func refuse(
        _ record: AuditRecord,
        evidence: SPCEvidence,
        now: Int64
    ) async throws(KeyStoreError) -> RefusalOutcome {
        let start = start
        defer { end(start, writing: true) }
        return try await counted { () throws(KeyStoreError) in
            try await store.refuse(record, evidence: evidence, now: now)
        }
    }

    func append(_ record: AuditRecord) async throws(KeyStoreError) {
        let start = start
        defer { end(start, writing: true) }
        try await counted { () throws(KeyStoreError) in try await store.append(record) }
    }

    // These are keyed hashes without a store access, so they are not measured.

    func deviceHash(hu: [UInt8]) -> DeviceHash { store.deviceHash(hu: hu) }

    func replayKey(r1: SecretBytes, account: String, certificateHash: [UInt8]) -> [UInt8] {
        store.replayKey(r1: r1, account: account, certificateHash: certificateHash)
    }

    /// Performs a write, and counts it if it fails.
    private func counted<Value>(
        _ write: () async throws(KeyStoreError) -> Value
    ) async throws(KeyStoreError) -> Value {
        do throws(KeyStoreError) { return try await write() } catch {
            metrics?.storeFailed(error)
            throw error
        }
    }

    private var start: ContinuousClock.Instant? { metrics == nil ? nil : .now }

    private func end(_ start: ContinuousClock.Instant?, writing: Bool) {
        guard let metrics, let start else { return }
        metrics.store(writing: writing, took: .now - start)
    }
}
