import FPSCrypto
import KeyStore

/// What licenses and keys need of a store, with the time of each call going to the metrics: whatever the service asks a store
/// for, it asks here, so that no call is forgotten.
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

    /// The content that a name in an SPC means, which is its asset ID or an ``AssetAlias``; nil for none.
    ///
    /// The alias is read first: what is found there is remembered by the catalog's version as it was before nothing was found
    /// under the name itself, so that content of that name, once it is added, is not missed.
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

    func makeChallenge(account: String, now: Int64, expires: Int64) async throws(KeyStoreError) -> UInt64 {
        let start = start
        defer { end(start, writing: true) }
        return try await counted { () throws(KeyStoreError) in
            try await store.makeChallenge(account: account, now: now, expires: expires)
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

    // No calls to anything: these are hashes, with a key that the store holds.

    func deviceHash(hu: [UInt8]) -> DeviceHash { store.deviceHash(hu: hu) }

    func replayKey(r1: SecretBytes, account: String, certificateHash: [UInt8]) -> [UInt8] {
        store.replayKey(r1: r1, account: account, certificateHash: certificateHash)
    }

    /// Writes, and counts it where that fails.
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
