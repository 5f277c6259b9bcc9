import FoundationEssentials
import GRDB
import KeyStore

extension GrantState {
    /// Reads the records that matter to a proposal.
    static func read(for proposal: GrantProposal, _ transaction: SharedTransaction) throws -> GrantState {
        let db = transaction.db
        let account = Array(proposal.account.utf8).data
        var state =
            try transaction.cachedClientState?.state(for: proposal, db) ?? clientState(of: proposal, account, db)
        if let evidence = proposal.evidence { state.memory = try SPCStateRows.fetch(evidence, db) }
        if let claim = proposal.replay { state.replay = try SQLiteReplayRow.fetch(claim.key, db) }
        if let claim = proposal.binding { state.binding = try SQLiteTokenBindingRow.fetch(claim.token, db) }
        if let claim = proposal.rental { state.rental = try SQLiteRentalRow.fetch(account, claim.subject, db) }
        if let claim = proposal.offline, let device = proposal.client.device {
            state.offline = try SQLiteOfflineLicenseRow.fetch(account, device, claim.streamID, db)
        }
        return state
    }

    /// Reads the records that are the same for all keys of a playback, which ``CachedClientState`` caches.
    private static func clientState(of proposal: GrantProposal, _ account: Data, _ db: Database) throws -> GrantState {
        let client = proposal.client.encoded.data
        var state = GrantState()
        state.endedSession = try SQLiteEndedSessionRow.fetch(proposal, account, client, db)
        if let claim = proposal.device, let device = proposal.client.device {
            state.device = try SQLiteDeviceRow.fetch(account, device, db)
            // A known device does not count against the limit.
            if state.device == nil, claim.limit != nil {
                let sql = "SELECT count(*) FROM device WHERE account = ?"
                state.otherDevices = try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [account]) ?? 0
            }
        }
        if let claim = proposal.slot {
            state.lease = try SQLiteLeaseRow.fetch(account, client, db)
            if claim.limit != nil {
                let sql = "SELECT count(*) FROM lease WHERE account = ? AND client <> ? AND until > ?"
                let arguments: StatementArguments = [account, client, proposal.now]
                state.otherLeases = try Int.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) ?? 0
            }
        }
        return state
    }

    /// Writes the records that differ from `previous`.
    func write(since previous: GrantState, of proposal: GrantProposal, _ db: Database) throws {
        if let evidence = proposal.evidence { try SPCStateRows.write(memory, since: previous.memory, of: evidence, db) }
        if let replay, replay != previous.replay { try SQLiteReplayRow.write(replay, db) }
        if let binding, binding != previous.binding { try SQLiteTokenBindingRow.write(binding, db) }
        if let device, device != previous.device { try SQLiteDeviceRow.write(device, db) }
        if let rental, rental != previous.rental { try SQLiteRentalRow.write(rental, db) }
        if let lease, lease != previous.lease { try SQLiteLeaseRow.write(lease, db) }
        if let offline, offline != previous.offline { try SQLiteOfflineLicenseRow.write(offline, db) }
    }
}

extension SyncState {
    /// Reads the records that matter to a claim.
    static func read(for claim: SyncClaim, _ db: Database) throws -> SyncState {
        let account = Array(claim.account.utf8).data
        var state = SyncState()
        if let evidence = claim.evidence { state.memory = try SPCStateRows.fetch(evidence, db) }
        if let challenge = claim.challenge { state.challenge = try SQLiteChallengeRow.fetch(challenge, db) }
        switch claim.subject {
        case .streams(let streamIDs):
            for streamID in Set(streamIDs) {
                guard let license = try SQLiteOfflineLicenseRow.fetch(account, claim.device, streamID, db) else {
                    continue
                }
                state.licenses.append(license)
            }
        case .title(let titleID):
            state.licenses = try SQLiteOfflineLicenseRow.fetch(account, claim.device, titleID: titleID, db)
        }
        return state
    }

    /// Writes the records that differ from `previous`.
    func write(since previous: SyncState, of claim: SyncClaim, _ db: Database) throws {
        if let evidence = claim.evidence { try SPCStateRows.write(memory, since: previous.memory, of: evidence, db) }
        if let used = previous.challenge, challenge == nil { try SQLiteChallengeRow.delete(used.challenge, db) }
        for (license, before) in zip(licenses, previous.licenses) where license != before {
            try SQLiteOfflineLicenseRow.write(license, db)
        }
    }
}
