import GRDB
import KeyStore

/// The state that the last grant of a transaction left for its client. The keys of a playback are requested together,
/// so the next grant is often for the same client and does not need to read the state again.
struct CachedClientState {
    /// The inputs that determine what is read for a client.
    private struct Inputs: Equatable {
        // Compare bytes: Swift compares canonically equivalent strings as equal, and a database does not.
        let account: [UInt8]
        let client: PlaybackClient
        let sessionID: UInt64?
        let now: Int64
        /// True if the claim has a limit; nil without a claim.
        let device: Bool?
        let slot: Bool?

        init(_ proposal: GrantProposal) {
            account = Array(proposal.account.utf8)
            client = proposal.client
            sessionID = proposal.sessionID
            now = proposal.now
            device = proposal.device.map { $0.limit != nil }
            slot = proposal.slot.map { $0.limit != nil }
        }
    }

    private let inputs: Inputs
    private let state: GrantState
    /// The connection's count of changed rows at that time. While it is the same, nothing else was written.
    private let changes: Int

    /// Caches the state that a proposal left, once all of it is written.
    init(_ proposal: GrantProposal, _ state: GrantState, _ db: Database) {
        inputs = Inputs(proposal)
        self.state = state
        changes = db.totalChangesCount
    }

    /// Returns the client's part of the state that matters to a proposal, or nil if it must be read.
    func state(for proposal: GrantProposal, _ db: Database) -> GrantState? {
        guard changes == db.totalChangesCount, inputs == Inputs(proposal) else { return nil }
        var known = GrantState()
        known.endedSession = state.endedSession
        known.device = state.device
        known.otherDevices = state.otherDevices
        known.lease = state.lease
        known.otherLeases = state.otherLeases
        return known
    }
}
