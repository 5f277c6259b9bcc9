package import FPSCrypto
package import KeyStore

extension InMemoryKeyStore {
    /// Decides on a proposal and stores the result.
    package func grant(_ proposal: GrantProposal) async throws(KeyStoreError) -> GrantOutcome {
        try proposal.check()
        guard proposal.isCurrent(at: catalogVersion) else { return .catalogChanged }
        var state = grants.state(for: proposal)
        let outcome = GrantRules.decide(proposal, &state)
        if let evidence = proposal.evidence { grants.store(state.memory, of: evidence) }
        if outcome == .granted { grants.store(state, of: proposal) }
        if let record = GrantRules.auditRecord(of: proposal, outcome) { audit.append(record) }
        return outcome
    }

    /// Records the report of a Sync SPC.
    package func record(_ claim: SyncClaim) async throws(KeyStoreError) -> SyncOutcome {
        try claim.check()
        var state = grants.state(for: claim)
        let outcome = GrantRules.decide(claim, &state)
        if let evidence = claim.evidence { grants.store(state.memory, of: evidence) }
        if case .recorded = outcome { grants.store(state, of: claim) }
        audit.append(GrantRules.auditRecord(of: claim, outcome))
        return outcome
    }

    /// Writes a refusal and stores the fingerprint of its SPC.
    package func refuse(
        _ record: AuditRecord,
        evidence: SPCEvidence,
        now: Int64
    ) async throws(KeyStoreError) -> RefusalOutcome {
        try evidence.check()
        var memory = grants.memory(for: evidence)
        let outcome = GrantRules.refuse(evidence, at: now, &memory)
        grants.store(memory, of: evidence)
        audit.append(GrantRules.auditRecord(of: record, outcome))
        return outcome
    }

    /// Returns the facts that a device has reported against itself.
    package func deviceReport(_ device: DeviceHash, at time: Int64) async throws(KeyStoreError) -> DeviceReport {
        grants.reports[device]?.binding(at: time) ?? DeviceReport()
    }

    /// Returns a new challenge for one Sync SPC.
    package func createChallenge(account: String, now: Int64, expires: Int64) async throws(KeyStoreError) -> UInt64 {
        try checkAccount(account)
        var random = SecureRandom()
        let challenge = UInt64.random(in: 1...UInt64.max, using: &random)
        grants.challenges[challenge] = ChallengeRecord(challenge: challenge, account: account, expires: expires)
        return challenge
    }

    /// Returns the rental of a subject.
    package func rental(account: String, subject: RentalSubject) async throws(KeyStoreError) -> RentalRecord? {
        grants.accounts[Array(account.utf8)]?.rentals[subject]
    }

    /// Deletes records that have expired at `time`.
    @discardableResult
    package func prune(at time: Int64, keepingSPCs limit: Int) async throws(KeyStoreError) -> Int {
        grants.prune(at: time, keepingSPCs: limit)
    }

    /// Returns the keyed hash by which a request's replay record is stored.
    package nonisolated func replayKey(r1: SecretBytes, account: String, certificateHash: [UInt8]) -> [UInt8] {
        ReplayKey.make(
            r1: r1,
            account: account,
            certificateHash: certificateHash,
            key: ReplayKey.secret(from: deviceHashKey)
        )
    }
}

extension InMemoryKeyStore {
    /// Returns leases, sorted by account and client.
    package func leases(
        account: String?,
        at time: Int64,
        after last: LeaseRecord?,
        limit: Int
    ) async throws(KeyStoreError) -> [LeaseRecord] {
        let found = grants.accounts.filter { key, _ in account.map { Array($0.utf8) == key } ?? true }.values
            .flatMap(\.leases.values)
            .filter { lease in lease.until > time && (last.map { $0.precedes(lease) } ?? true) }
        return Array(found.sorted { $0.precedes($1) }.prefix(pageSize(limit)))
    }

    /// Returns the number of unexpired leases.
    package func leaseCount(at time: Int64) async throws(KeyStoreError) -> Int {
        grants.accounts.values.reduce(0) { $0 + $1.leases.values.count { $0.until > time } }
    }

    /// Ends a lease.
    @discardableResult
    package func endLease(
        account: String,
        client: PlaybackClient,
        now: Int64,
        audit record: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        let key = Array(account.utf8)
        guard var lease = grants.accounts[key]?.leases[client], let ended = lease.end(at: now) else { return false }
        grants.accounts[key]?.leases[client] = lease
        grants.accounts[key]?.endedSessions[.init(client: client, id: ended.sessionID)] = ended
        audit.append(record)
        return true
    }

    /// Returns the devices of an account.
    package func devices(account: String) async throws(KeyStoreError) -> [DeviceRecord] {
        let devices = grants.accounts[Array(account.utf8)]?.devices.values.map { $0 } ?? []
        return devices.sorted { $0.device.bytes.lexicographicallyPrecedes($1.device.bytes) }
    }

    /// Deletes a device.
    @discardableResult
    package func deleteDevice(
        account: String,
        device: DeviceHash,
        audit record: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        guard grants.accounts[Array(account.utf8)]?.devices.removeValue(forKey: device) != nil else { return false }
        audit.append(record)
        return true
    }

    /// Returns the persistent keys of an account.
    package func offlineLicenses(account: String) async throws(KeyStoreError) -> [OfflineLicenseRecord] {
        let found = grants.accounts[Array(account.utf8)]?.offline.values.flatMap(\.values) ?? []
        return found.sorted {
            ($0.device.bytes + $0.streamID).lexicographicallyPrecedes($1.device.bytes + $1.streamID)
        }
    }

    /// Returns the persistent keys of all accounts.
    package func offlineLicenses(
        playableAt time: Int64?,
        after last: OfflineLicenseRecord?,
        limit: Int
    ) async throws(KeyStoreError) -> [OfflineLicenseRecord] {
        let found = grants.accounts.values.flatMap { $0.offline.values.flatMap(\.values) }
            .filter { license in
                (time.map(license.isPlayable(at:)) ?? true) && (last.map { $0.precedes(license) } ?? true)
            }
        return Array(found.sorted { $0.precedes($1) }.prefix(pageSize(limit)))
    }

    /// Revokes a persistent key.
    @discardableResult
    package func revokeOfflineLicense(
        account: String,
        device: DeviceHash,
        streamID: [UInt8],
        now: Int64,
        audit record: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        let key = Array(account.utf8)
        guard var license = grants.accounts[key]?.offline[device]?[streamID], license.end == nil else { return false }
        license.revoke(at: now)
        grants.accounts[key]?.offline[device]?[streamID] = license
        audit.append(record)
        return true
    }

    /// Returns the rentals of an account.
    package func rentals(account: String) async throws(KeyStoreError) -> [RentalRecord] {
        let rentals = grants.accounts[Array(account.utf8)]?.rentals.values.map { $0 } ?? []
        return rentals.sorted { $0.subject.encoded.lexicographicallyPrecedes($1.subject.encoded) }
    }

    /// Deletes a rental.
    @discardableResult
    package func deleteRental(
        account: String,
        subject: RentalSubject,
        audit record: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        guard grants.accounts[Array(account.utf8)]?.rentals.removeValue(forKey: subject) != nil else { return false }
        audit.append(record)
        return true
    }
}

extension LeaseRecord {
    /// Compares by the order of lists: account, then client, each by its bytes.
    fileprivate func precedes(_ other: LeaseRecord) -> Bool {
        let (mine, others) = (Array(account.utf8), Array(other.account.utf8))
        return mine == others
            ? client.encoded.lexicographicallyPrecedes(other.client.encoded) : mine.lexicographicallyPrecedes(others)
    }
}

extension OfflineLicenseRecord {
    /// Compares by the order of lists: account, then device, then stream ID, each by its bytes.
    fileprivate func precedes(_ other: OfflineLicenseRecord) -> Bool {
        let (mine, others) = (Array(account.utf8), Array(other.account.utf8))
        return mine == others
            ? (device.bytes + streamID).lexicographicallyPrecedes(other.device.bytes + other.streamID)
            : mine.lexicographicallyPrecedes(others)
    }
}
