package import FPSCrypto
import GRDB
package import KeyStore

extension SQLiteKeyStore {
    /// Decides on a proposal and writes the result. Proposals that arrive while the disk is busy share the next commit;
    /// each is decided after the previous ones.
    package func grant(_ proposal: GrantProposal) async throws(KeyStoreError) -> GrantOutcome {
        try proposal.check()
        return try await writes.perform(in: "grant") { transaction in
            guard proposal.isCurrent(at: try transaction.catalogVersion()) else { return .catalogChanged }
            let previous = try GrantState.read(for: proposal, transaction)
            var state = previous
            let outcome = GrantRules.decide(proposal, &state)
            try state.write(since: previous, of: proposal, transaction.db)
            if let record = GrantRules.auditRecord(of: proposal, outcome) { try transaction.append(record) }
            transaction.cachedClientState = CachedClientState(proposal, state, transaction.db)
            return outcome
        }
    }

    /// Records the report of a Sync SPC.
    package func record(_ claim: SyncClaim) async throws(KeyStoreError) -> SyncOutcome {
        try claim.check()
        return try await writes.perform(in: "sync") { transaction in
            let previous = try SyncState.read(for: claim, transaction.db)
            var state = previous
            let outcome = GrantRules.decide(claim, &state)
            try state.write(since: previous, of: claim, transaction.db)
            try transaction.append(GrantRules.auditRecord(of: claim, outcome))
            return outcome
        }
    }

    /// Writes a refusal and stores the fingerprint of its SPC.
    package func refuse(
        _ record: AuditRecord,
        evidence: SPCEvidence,
        now: Int64
    ) async throws(KeyStoreError) -> RefusalOutcome {
        try evidence.check()
        return try await writes.perform(in: "refusal") { transaction in
            let previous = try SPCStateRows.fetch(evidence, transaction.db)
            var memory = previous
            let outcome = GrantRules.refuse(evidence, at: now, &memory)
            try SPCStateRows.write(memory, since: previous, of: evidence, transaction.db)
            try transaction.append(GrantRules.auditRecord(of: record, outcome))
            return outcome
        }
    }

    /// Returns the facts that a device has reported against itself.
    package func deviceReport(_ device: DeviceHash, at time: Int64) async throws(KeyStoreError) -> DeviceReport {
        try await translatingErrors(in: "device_report") {
            try await pool.read { db in try SQLiteDeviceReportRow.fetch(device, db).binding(at: time) }
        }
    }

    /// Returns a new challenge for one Sync SPC.
    package func createChallenge(account: String, now: Int64, expires: Int64) async throws(KeyStoreError) -> UInt64 {
        try checkAccount(account)
        return try await writes.perform(in: "challenge") { transaction in
            var random = SecureRandom()
            let challenge = UInt64.random(in: 1...UInt64.max, using: &random)
            let record = ChallengeRecord(challenge: challenge, account: account, expires: expires)
            try SQLiteChallengeRow.write(record, transaction.db)
            return challenge
        }
    }

    /// Returns the rental of a subject.
    package func rental(account: String, subject: RentalSubject) async throws(KeyStoreError) -> RentalRecord? {
        try await translatingErrors(in: "rental") {
            try await pool.read { db in try SQLiteRentalRow.fetch(Array(account.utf8).data, subject, db) }
        }
    }

    /// Returns the keyed hash by which a request's replay record is stored.
    package func replayKey(r1: SecretBytes, account: String, certificateHash: [UInt8]) -> [UInt8] {
        ReplayKey.make(r1: r1, account: account, certificateHash: certificateHash, key: replaySecret)
    }

    /// Deletes records that have expired at `time`, a few hundred per transaction, so that other writes do not wait for
    /// long.
    @discardableResult
    package func prune(at time: Int64, keepingSPCs limit: Int) async throws(KeyStoreError) -> Int {
        let bound = GrantRules.later(time, by: -GrantRules.bindingRetention)
        var count = 0
        for (table, key, end, time) in [
            ("replay", "number", "expires", time),
            ("token_binding", "token", "expires", bound),
            ("challenge", "challenge", "expires", time),
            ("lease", "account, client", "until", time),
            ("ended_session", "account, client, session", "expires", time),
            ("spc", "number", "expires", time),
            ("device_report", "device, fact", "until", time),
        ] {
            let few = "SELECT \(key) FROM \(table) WHERE \(end) <= ? LIMIT \(Self.pruneStep)"
            count += try await inSteps("DELETE FROM \(table) WHERE (\(key)) IN (\(few))", time)
        }
        // The numbers ascend in the order of arrival, so the oldest SPCs beyond the limit are deleted.
        let older = "SELECT number FROM spc WHERE number <= (SELECT max(number) FROM spc) - ? LIMIT \(Self.pruneStep)"
        count += try await inSteps("DELETE FROM spc WHERE number IN (\(older))", Int64(limit))
        // The CKCs are most of the data of replay records, and are deleted once they cannot answer a retry any more.
        let few = "SELECT number FROM replay WHERE ckc IS NOT NULL AND retry_until <= ? LIMIT \(Self.pruneStep)"
        _ = try await inSteps("UPDATE replay SET ckc = NULL WHERE number IN (\(few))", time)
        return count
    }

    private static let pruneStep = 500

    /// Repeats a statement that changes a few rows until no rows are left; returns the number of changed rows.
    private func inSteps(_ sql: String, _ time: Int64) async throws(KeyStoreError) -> Int {
        var count = 0
        while true {
            let changed = try await writes.perform(in: "prune") { transaction in
                try transaction.db.cachedStatement(sql: sql).execute(arguments: [time])
                return transaction.db.changesCount
            }
            count += changed
            if changed < Self.pruneStep { return count }
        }
    }
}
