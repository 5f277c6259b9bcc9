import KeyStore

/// The reads for a decision, with the closures that store each result in the state. All reads share one round trip.
struct StateReads<State: Sendable>: Sendable {
    private(set) var queries: [PostgresQuery] = []
    private var steps: [@Sendable (inout State, [PostgresRow]) throws -> Void] = []
    private let start: State

    init(_ start: State) { self.start = start }

    /// Adds a read. `apply` stores its rows in the state.
    mutating func add(_ query: PostgresQuery, _ apply: @escaping @Sendable (inout State, [PostgresRow]) throws -> Void)
    {
        queries.append(query)
        steps.append(apply)
    }

    /// Returns the state, from the results in the order of the queries.
    func state(_ results: [PostgresResult]) throws -> State {
        var state = start
        for (step, result) in zip(steps, results) { try step(&state, result.rows) }
        return state
    }
}

extension StateReads where State == GrantState {
    /// Creates the reads for a proposal.
    init(for proposal: GrantProposal) {
        self.init(GrantState())
        let account = PostgresValue.account(proposal.account)
        let client = PostgresValue.bytes(proposal.client.encoded)
        add(proposal.evidence, to: \.memory)
        add(PostgresEndedSessionRow.selection(proposal)) { state, rows in
            state.endedSession = try rows.first.map { try PostgresEndedSessionRow.record($0, proposal) }
        }
        if let claim = proposal.replay {
            add(PostgresReplayRow.selection(claim.key)) { state, rows in
                state.replay = try rows.first.map { try PostgresReplayRow.record($0, claim.key) }
            }
        }
        if let claim = proposal.binding {
            add(PostgresTokenBindingRow.selection(claim.token)) { state, rows in
                state.binding = try rows.first.map { try PostgresTokenBindingRow.record($0, claim.token) }
            }
        }
        if let claim = proposal.device, let device = proposal.client.device {
            add(PostgresDeviceRow.selection(account, device)) { state, rows in
                state.device = try rows.first.map { try PostgresDeviceRow.record($0) }
            }
            // A known device does not count against the limit.
            if claim.limit != nil {
                add(PostgresQuery("SELECT count(*) FROM device WHERE account = $1", [account])) { state, rows in
                    guard state.device == nil else { return }
                    state.otherDevices = Int(clamping: try rows.first?.requiredInteger(0) ?? 0)
                }
            }
        }
        if let claim = proposal.rental {
            add(PostgresRentalRow.selection(account, claim.subject)) { state, rows in
                state.rental = try rows.first.map { try PostgresRentalRow.record($0) }
            }
        }
        if let claim = proposal.slot {
            add(PostgresLeaseRow.selection(account, client)) { state, rows in
                state.lease = try rows.first.map { try PostgresLeaseRow.record($0) }
            }
            if claim.limit != nil {
                let others = PostgresQuery(
                    "SELECT count(*) FROM lease WHERE account = $1 AND client <> $2 AND until > $3",
                    [account, client, .integer(proposal.now)]
                )
                add(others) { state, rows in
                    state.otherLeases = Int(clamping: try rows.first?.requiredInteger(0) ?? 0)
                }
            }
        }
        if let claim = proposal.offline, let device = proposal.client.device {
            add(PostgresOfflineLicenseRow.selection(account, device, claim.streamID)) { state, rows in
                state.offline = try rows.first.map { try PostgresOfflineLicenseRow.record($0) }
            }
        }
    }
}

extension StateReads where State == SyncState {
    /// Creates the reads for a claim.
    init(for claim: SyncClaim) {
        self.init(SyncState())
        let account = PostgresValue.account(claim.account)
        add(claim.evidence, to: \.memory)
        if let challenge = claim.challenge {
            add(PostgresChallengeRow.selection(challenge)) { state, rows in
                state.challenge = try rows.first.map { try PostgresChallengeRow.record($0, challenge) }
            }
        }
        let apply: @Sendable (inout SyncState, [PostgresRow]) throws -> Void = { state, rows in
            for row in rows { state.licenses.append(try PostgresOfflineLicenseRow.record(row)) }
        }
        switch claim.subject {
        case .streams(let streamIDs):
            for streamID in Set(streamIDs) {
                add(PostgresOfflineLicenseRow.selection(account, claim.device, streamID), apply)
            }
        case .title(let titleID):
            add(PostgresOfflineLicenseRow.selection(account, claim.device, titleID: titleID), apply)
        }
    }
}

extension GrantState {
    /// Returns the writes of the records that differ from `previous`.
    func writes(since previous: GrantState, of proposal: GrantProposal) -> [PostgresQuery] {
        var writes = memory.writes(since: previous.memory, of: proposal.evidence)
        if let replay, replay != previous.replay { writes.append(PostgresReplayRow.writing(replay)) }
        if let binding, binding != previous.binding { writes.append(PostgresTokenBindingRow.writing(binding)) }
        if let device, device != previous.device { writes.append(PostgresDeviceRow.writing(device)) }
        if let rental, rental != previous.rental { writes.append(PostgresRentalRow.writing(rental)) }
        if let lease, lease != previous.lease { writes.append(PostgresLeaseRow.writing(lease)) }
        if let offline, offline != previous.offline { writes.append(PostgresOfflineLicenseRow.writing(offline)) }
        return writes
    }
}

extension SyncState {
    /// Returns the writes of the records that differ from `previous`.
    func writes(since previous: SyncState, of claim: SyncClaim) -> [PostgresQuery] {
        var writes = memory.writes(since: previous.memory, of: claim.evidence)
        if let used = previous.challenge, challenge == nil {
            writes.append(PostgresChallengeRow.deletion(used.challenge))
        }
        for (license, before) in zip(licenses, previous.licenses) where license != before {
            writes.append(PostgresOfflineLicenseRow.writing(license))
        }
        return writes
    }
}
