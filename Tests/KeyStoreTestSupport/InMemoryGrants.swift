import KeyStore

/// The license records of the in-memory store. Accounts are keyed by their bytes, because Swift compares canonically
/// equivalent strings as equal and a database does not.
struct InMemoryGrants {
    /// The records of one account.
    struct Account {
        var leases: [PlaybackClient: LeaseRecord] = [:]
        var endedSessions: [Session: EndedSessionRecord] = [:]
        var devices: [DeviceHash: DeviceRecord] = [:]
        var rentals: [RentalSubject: RentalRecord] = [:]
        var offline: [DeviceHash: [[UInt8]: OfflineLicenseRecord]] = [:]
    }

    /// A session of a device or adapter.
    struct Session: Hashable {
        let client: PlaybackClient
        let id: UInt64?
    }

    var accounts: [[UInt8]: Account] = [:]
    var replays: [[UInt8]: ReplayRecord] = [:]
    var bindings: [[UInt8]: TokenBindingRecord] = [:]
    var challenges: [UInt64: ChallengeRecord] = [:]
    var reports: [DeviceHash: DeviceReport] = [:]
    /// SPCs by the hash of their RSA block, with a counter of their arrival.
    private var sightings: [[UInt8]: (number: Int, sighting: SPCFingerprint)] = [:]
    private var sightingNumber = 0

    func memory(for evidence: SPCEvidence) -> SPCState {
        var memory = SPCState()
        memory.sighting = sightings[evidence.sighting.key]?.sighting
        memory.report = evidence.device.flatMap { reports[$0] } ?? DeviceReport()
        return memory
    }

    mutating func store(_ memory: SPCState, of evidence: SPCEvidence) {
        if let sighting = memory.sighting, sighting != sightings[sighting.key]?.sighting {
            sightingNumber += 1
            sightings[sighting.key] = (sightingNumber, sighting)
        }
        if let device = evidence.device, !memory.report.entries.isEmpty { reports[device] = memory.report }
    }

    func state(for proposal: GrantProposal) -> GrantState {
        let account = accounts[Array(proposal.account.utf8)] ?? Account()
        var state = GrantState()
        state.memory = proposal.evidence.map(memory) ?? SPCState()
        state.endedSession = account.endedSessions[Session(client: proposal.client, id: proposal.sessionID)]
        state.replay = proposal.replay.flatMap { replays[$0.key] }
        state.binding = proposal.binding.flatMap { bindings[$0.token] }
        if let device = proposal.client.device {
            state.device = account.devices[device]
            state.otherDevices = account.devices.count - (state.device == nil ? 0 : 1)
            state.offline = proposal.offline.flatMap { account.offline[device]?[$0.streamID] }
        }
        state.rental = proposal.rental.flatMap { account.rentals[$0.subject] }
        state.lease = account.leases[proposal.client]
        state.otherLeases = account.leases.values.count { $0.client != proposal.client && $0.until > proposal.now }
        return state
    }

    mutating func store(_ state: GrantState, of proposal: GrantProposal) {
        if let replay = state.replay { replays[replay.key] = replay }
        if let binding = state.binding { bindings[binding.token] = binding }
        var account = accounts[Array(proposal.account.utf8)] ?? Account()
        if let device = state.device { account.devices[device.device] = device }
        if let rental = state.rental { account.rentals[rental.subject] = rental }
        if let lease = state.lease { account.leases[lease.client] = lease }
        if let offline = state.offline { account.offline[offline.device, default: [:]][offline.streamID] = offline }
        accounts[Array(proposal.account.utf8)] = account
    }

    func state(for claim: SyncClaim) -> SyncState {
        let licenses = accounts[Array(claim.account.utf8)]?.offline[claim.device] ?? [:]
        var state = SyncState()
        state.memory = claim.evidence.map(memory) ?? SPCState()
        state.challenge = claim.challenge.flatMap { challenges[$0] }
        state.licenses =
            switch claim.subject {
            case .streams(let streamIDs): Set(streamIDs).compactMap { licenses[$0] }
            case .title(let titleID): licenses.values.filter { $0.titleID == titleID }
            }
        return state
    }

    mutating func store(_ state: SyncState, of claim: SyncClaim) {
        if let challenge = claim.challenge { challenges[challenge] = state.challenge }
        for license in state.licenses {
            accounts[Array(claim.account.utf8)]?.offline[claim.device]?[license.streamID] = license
        }
    }

    mutating func prune(at time: Int64, keepingSPCs limit: Int) -> Int {
        let before = count
        sightings = sightings.filter { $0.value.sighting.expires > time && $0.value.number > sightingNumber - limit }
        reports = reports.mapValues { $0.binding(at: time) }.filter { !$0.value.entries.isEmpty }
        replays = replays.filter { $0.value.expires > time }
        bindings = bindings.filter { GrantRules.later($0.value.expires, by: GrantRules.bindingRetention) > time }
        challenges = challenges.filter { $0.value.expires > time }
        for (key, replay) in replays where replay.retryUntil <= time { replays[key]?.answer = nil }
        accounts = accounts.mapValues { account in
            var account = account
            account.leases = account.leases.filter { $0.value.until > time }
            account.endedSessions = account.endedSessions.filter { $0.value.expiry > time }
            return account
        }
        return before - count
    }

    /// The number of records that pruning can remove.
    private var count: Int {
        let ofAccounts = accounts.values.reduce(0) { $0 + $1.leases.count + $1.endedSessions.count }
        let ofReports = reports.values.reduce(0) { $0 + $1.entries.count }
        return replays.count + bindings.count + challenges.count + sightings.count + ofReports + ofAccounts
    }
}
