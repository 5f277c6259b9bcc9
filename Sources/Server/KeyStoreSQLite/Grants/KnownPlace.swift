import GRDB
import KeyStore

/// What the last grant of a transaction has left of its place. The keys of a playback are asked for together, so that the next
/// grant is often for the same place, and need not read it again.
struct KnownPlace {
    /// What decides on what is read of a place.
    private struct Question: Equatable {
        // By bytes: Swift takes two spellings of one letter for equal, a database does not.
        let account: [UInt8]
        let place: PlaybackPlace
        let sessionID: UInt64?
        let now: Int64
        /// Whether there is a claim, and whether it has a limit.
        let device: Bool?
        let slot: Bool?

        init(_ proposal: GrantProposal) {
            account = Array(proposal.account.utf8)
            place = proposal.place
            sessionID = proposal.sessionID
            now = proposal.now
            device = proposal.device.map { $0.limit != nil }
            slot = proposal.slot.map { $0.limit != nil }
        }
    }

    private let question: Question
    private let state: GrantState
    /// The connection's count of changed rows then. While it is the same, nothing else was written.
    private let changes: Int

    /// Takes what a proposal has left, once all of it is written.
    init(_ proposal: GrantProposal, _ state: GrantState, _ db: Database) {
        question = Question(proposal)
        self.state = state
        changes = db.totalChangesCount
    }

    /// The place's part of the state that matters to a proposal; nil when it has to be read.
    func state(for proposal: GrantProposal, _ db: Database) -> GrantState? {
        guard changes == db.totalChangesCount, question == Question(proposal) else { return nil }
        var known = GrantState()
        known.endedSession = state.endedSession
        known.device = state.device
        known.otherDevices = state.otherDevices
        known.lease = state.lease
        known.otherLeases = state.otherLeases
        return known
    }
}
