package import FPSCrypto

extension InMemoryKeyStore {
    /// Decides on a proposal and keeps what comes of it.
    package func grant(_ proposal: GrantProposal) async throws(KeyStoreError) -> GrantOutcome {
        try proposal.check()
        guard proposal.holds(at: catalogVersion) else { return .catalogChanged }
        var state = grants.state(for: proposal)
        let outcome = GrantRules.decide(proposal, &state)
        if let evidence = proposal.evidence { grants.keep(state.memory, of: evidence) }
        if outcome == .granted { grants.keep(state, of: proposal) }
        if let record = GrantRules.auditRecord(of: proposal, outcome) { audit.append(record) }
        return outcome
    }

    /// Records what a Sync SPC tells.
    package func record(_ claim: SyncClaim) async throws(KeyStoreError) -> SyncOutcome {
        try claim.check()
        var state = grants.state(for: claim)
        let outcome = GrantRules.decide(claim, &state)
        if let evidence = claim.evidence { grants.keep(state.memory, of: evidence) }
        if case .recorded = outcome { grants.keep(state, of: claim) }
        audit.append(GrantRules.auditRecord(of: claim, outcome))
        return outcome
    }

    /// Writes a refusal and remembers its SPC.
    package func refuse(
        _ record: AuditRecord,
        evidence: SPCEvidence,
        now: Int64
    ) async throws(KeyStoreError) -> RefusalOutcome {
        try evidence.check()
        var memory = grants.memory(for: evidence)
        let outcome = GrantRules.refuse(evidence, at: now, &memory)
        grants.keep(memory, of: evidence)
        audit.append(GrantRules.auditRecord(of: record, outcome))
        return outcome
    }

    /// What a device has reported against itself.
    package func deviceReport(_ device: DeviceHash, at time: Int64) async throws(KeyStoreError) -> DeviceReport {
        grants.reports[device]?.binding(at: time) ?? DeviceReport()
    }

    /// A challenge for one Sync SPC.
    package func makeChallenge(account: String, now: Int64, expires: Int64) async throws(KeyStoreError) -> UInt64 {
        try checkAccount(account)
        var random = SecureRandom()
        let challenge = UInt64.random(in: 1...UInt64.max, using: &random)
        grants.challenges[challenge] = ChallengeRecord(challenge: challenge, account: account, expires: expires)
        return challenge
    }

    /// The rental of a subject.
    package func rental(account: String, subject: RentalSubject) async throws(KeyStoreError) -> RentalRecord? {
        grants.accounts[Array(account.utf8)]?.rentals[subject]
    }

    /// Forgets what is of no use at `time`.
    @discardableResult
    package func prune(at time: Int64, keepingSPCs limit: Int) async throws(KeyStoreError) -> Int {
        grants.prune(at: time, keepingSPCs: limit)
    }

    /// The keyed hash under which a request is remembered.
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
    /// Leases by account and place.
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

    /// How many leases there are.
    package func leaseCount(at time: Int64) async throws(KeyStoreError) -> Int {
        grants.accounts.values.reduce(0) { $0 + $1.leases.values.count { $0.until > time } }
    }

    /// Ends a lease.
    @discardableResult
    package func endLease(
        account: String,
        place: PlaybackPlace,
        now: Int64,
        audit record: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        let key = Array(account.utf8)
        guard var lease = grants.accounts[key]?.leases[place], let ended = lease.end(at: now) else { return false }
        grants.accounts[key]?.leases[place] = lease
        grants.accounts[key]?.endedSessions[.init(place: place, id: ended.sessionID)] = ended
        audit.append(record)
        return true
    }

    /// The devices of an account.
    package func devices(account: String) async throws(KeyStoreError) -> [DeviceRecord] {
        let devices = grants.accounts[Array(account.utf8)]?.devices.values.map { $0 } ?? []
        return devices.sorted { $0.device.bytes.lexicographicallyPrecedes($1.device.bytes) }
    }

    /// Forgets a device.
    @discardableResult
    package func forgetDevice(
        account: String,
        device: DeviceHash,
        audit record: AuditRecord
    ) async throws(KeyStoreError) -> Bool {
        guard grants.accounts[Array(account.utf8)]?.devices.removeValue(forKey: device) != nil else { return false }
        audit.append(record)
        return true
    }

    /// The kept keys of an account.
    package func offlineLicenses(account: String) async throws(KeyStoreError) -> [OfflineLicenseRecord] {
        let found = grants.accounts[Array(account.utf8)]?.offline.values.flatMap(\.values) ?? []
        return found.sorted {
            ($0.device.bytes + $0.streamID).lexicographicallyPrecedes($1.device.bytes + $1.streamID)
        }
    }

    /// The kept keys of all accounts.
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

    /// Revokes a kept key.
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

    /// The rentals of an account.
    package func rentals(account: String) async throws(KeyStoreError) -> [RentalRecord] {
        let rentals = grants.accounts[Array(account.utf8)]?.rentals.values.map { $0 } ?? []
        return rentals.sorted { $0.subject.encoded.lexicographicallyPrecedes($1.subject.encoded) }
    }

    /// Forgets a rental.
    @discardableResult
    package func forgetRental(
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
    /// The order of lists: by account, then by place, each by its bytes.
    fileprivate func precedes(_ other: LeaseRecord) -> Bool {
        let (mine, others) = (Array(account.utf8), Array(other.account.utf8))
        return mine == others
            ? place.encoded.lexicographicallyPrecedes(other.place.encoded) : mine.lexicographicallyPrecedes(others)
    }
}

extension OfflineLicenseRecord {
    /// The order of lists: by account, then by device, then by stream ID, each by its bytes.
    fileprivate func precedes(_ other: OfflineLicenseRecord) -> Bool {
        let (mine, others) = (Array(account.utf8), Array(other.account.utf8))
        return mine == others
            ? (device.bytes + streamID).lexicographicallyPrecedes(other.device.bytes + other.streamID)
            : mine.lexicographicallyPrecedes(others)
    }
}
