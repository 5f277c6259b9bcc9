package import FPSCrypto
package import KeyStore

extension PostgresKeyStore {
    /// Decides on a proposal and writes the result. Proposals that arrive while the database is busy share the next
    /// transaction; each is decided after the previous ones.
    package func grant(_ proposal: GrantProposal) async throws(KeyStoreError) -> GrantOutcome {
        try proposal.check()
        let reads = StateReads<GrantState>(for: proposal)
        var locks = [LockKey(.account, Array(proposal.account.utf8))]
        // These locks belong to one account, too, unless two accounts use the same token.
        if let claim = proposal.binding { locks.append(LockKey(.token, claim.token)) }
        if let claim = proposal.replay { locks.append(LockKey(.request, claim.key)) }
        locks += proposal.evidence?.locks ?? []
        return try await writes.perform(in: "grant", locks: locks, reads: reads.queries) { results, version in
            guard proposal.isCurrent(at: version) else { return JobResult(value: .catalogChanged) }
            let previous = try reads.state(results)
            var state = previous
            let outcome = GrantRules.decide(proposal, &state)
            let record = GrantRules.auditRecord(of: proposal, outcome)
            let writes = state.writes(since: previous, of: proposal)
            return JobResult(value: outcome, writes: writes, audit: record.map { [$0] } ?? [])
        }
    }

    /// Records the report of a Sync SPC.
    package func record(_ claim: SyncClaim) async throws(KeyStoreError) -> SyncOutcome {
        try claim.check()
        let reads = StateReads<SyncState>(for: claim)
        var locks = [LockKey(.account, Array(claim.account.utf8))]
        if let challenge = claim.challenge { locks.append(LockKey(challenge: challenge)) }
        locks += claim.evidence?.locks ?? []
        return try await writes.perform(in: "sync", locks: locks, reads: reads.queries) { results, _ in
            let previous = try reads.state(results)
            var state = previous
            let outcome = GrantRules.decide(claim, &state)
            let record = GrantRules.auditRecord(of: claim, outcome)
            return JobResult(value: outcome, writes: state.writes(since: previous, of: claim), audit: [record])
        }
    }

    /// Writes a refusal and stores the fingerprint of its SPC.
    package func refuse(
        _ record: AuditRecord,
        evidence: SPCEvidence,
        now: Int64
    ) async throws(KeyStoreError) -> RefusalOutcome {
        try evidence.check()
        let reads = StateReads<SPCState>(for: evidence)
        return try await writes.perform(in: "refusal", locks: evidence.locks, reads: reads.queries) { results, _ in
            let previous = try reads.state(results)
            var memory = previous
            let outcome = GrantRules.refuse(evidence, at: now, &memory)
            let record = GrantRules.auditRecord(of: record, outcome)
            return JobResult(value: outcome, writes: memory.writes(since: previous, of: evidence), audit: [record])
        }
    }

    /// Returns the facts that a device has reported against itself.
    package func deviceReport(_ device: DeviceHash, at time: Int64) async throws(KeyStoreError) -> DeviceReport {
        try await readers.read(in: "device_report") { reader in
            let rows = try reader.run([PostgresDeviceReportRow.selection(device)]).first?.rows ?? []
            return try PostgresDeviceReportRow.report(rows).binding(at: time)
        }
    }

    /// Returns a new challenge for one Sync SPC.
    package func createChallenge(account: String, now: Int64, expires: Int64) async throws(KeyStoreError) -> UInt64 {
        try checkAccount(account)
        var random = SecureRandom()
        let challenge = UInt64.random(in: 1...UInt64.max, using: &random)
        let insertion = PostgresChallengeRow.insertion(
            ChallengeRecord(challenge: challenge, account: account, expires: expires)
        )
        return try await writes.perform(in: "challenge", locks: []) { _, _ in
            JobResult(value: challenge, writes: [insertion])
        }
    }

    /// Returns the rental of a subject.
    package func rental(account: String, subject: RentalSubject) async throws(KeyStoreError) -> RentalRecord? {
        try await readers.read(in: "rental") { reader in
            let query = PostgresRentalRow.selection(.account(account), subject)
            return try reader.run([query]).first?.rows.first.map { try PostgresRentalRow.record($0) }
        }
    }

    /// Returns the keyed hash by which a request's replay record is stored.
    package func replayKey(r1: SecretBytes, account: String, certificateHash: [UInt8]) -> [UInt8] {
        ReplayKey.make(r1: r1, account: account, certificateHash: certificateHash, key: replaySecret)
    }
}

extension LockKey {
    fileprivate init(challenge: UInt64) {
        self.init(.challenge, withUnsafeBytes(of: challenge.bigEndian) { Array($0) })
    }
}
