import FPSCrypto
import KeyStore
import Testing

@Suite("The rules of granting")
struct GrantRulesTests {
    @Test("A slot is acquired, taken over, retained or refused", arguments: SlotCase.all)
    func slots(_ example: SlotCase) {
        let proposal = Sample.proposal(session: 5).slot(limit: example.limit, for: 600, example.purpose)
        var state = GrantState()
        state.lease = example.own
        state.otherLeases = example.others
        let previous = state
        let outcome = GrantRules.decide(proposal, &state)
        #expect(outcome.refusal == example.refusal)
        if example.refusal == nil {
            #expect(outcome == .granted)
            #expect(state.lease == example.after)
        } else {
            #expect(state == previous)
        }
    }

    @Test("The claims are checked in order, and the first failing claim refuses")
    func order() {
        var state = GrantState()
        state.endedSession = EndedSessionRecord(
            account: "anna",
            client: Sample.client(1),
            sessionID: 1,
            expiry: 2_000
        )
        state.replay = ReplayRecord(key: Sample.hash(1), retryUntil: 999, expires: 2_000, answer: Sample.answer())
        state.binding = TokenBindingRecord(
            token: Sample.hash(1),
            account: "ben",
            client: Sample.client(1),
            sessionID: 1,
            expires: 9_000
        )
        state.otherDevices = 2
        state.otherLeases = 2
        state.rental = RentalRecord(
            account: "anna",
            subject: .title("movie"),
            start: -9_000,
            end: 0,
            client: Sample.client(1)
        )
        var kept = SlotCase.license
        kept.end = .revoked
        state.offline = kept
        let proposal = Sample.proposal().once(1).bound(1).counted().rental().slot().offline()
        var refusals: [GrantRefusal.Code?] = []
        for _ in 0..<8 {
            let previous = state
            let outcome = GrantRules.decide(proposal, &state)
            refusals.append(outcome.refusal)
            if outcome == .granted { break }
            #expect(state == previous)
            switch outcome.refusal {
            case .leaseEnded: state.endedSession = nil
            case .replayed: state.replay = nil
            case .tokenAlreadyBound: state.binding = nil
            case .devicesExceeded: state.otherDevices = 1
            case .rentalExpired: state.rental = nil
            case .streamsExceeded: state.otherLeases = 1
            default: state.offline = nil
            }
        }
        #expect(
            refusals == [
                .leaseEnded, .replayed, .tokenAlreadyBound, .devicesExceeded, .rentalExpired, .streamsExceeded,
                .licenseRevoked, nil,
            ]
        )
        #expect(state.replay?.answer == proposal.answer)
        #expect(state.binding?.account == "anna")
        #expect(state.device?.device == Sample.device(1))
        #expect(state.rental?.start == 1_000)
        #expect(state.lease?.until == 1_600)
        #expect(state.offline?.granted == 1_000)
    }

    @Test("A proposal without claims is granted and writes nothing")
    func noClaims() {
        var state = GrantState()
        #expect(GrantRules.decide(Sample.proposal(), &state) == .granted)
        #expect(state == GrantState())
    }

    @Test("Every outcome except a different start has an audit record")
    func auditRecords() {
        let proposal = Sample.proposal()
        let refusal = GrantRefusal(.leaseEnded, "the session was ended")
        #expect(GrantRules.auditRecord(of: proposal, .granted) == proposal.audit)
        #expect(GrantRules.auditRecord(of: proposal, .retried(Sample.answer()))?.outcome == "retried")
        #expect(GrantRules.auditRecord(of: proposal, .refused(refusal))?.outcome == "lease-ended")
        #expect(GrantRules.auditRecord(of: proposal, .refused(refusal))?.detail == "the session was ended")
        #expect(GrantRules.auditRecord(of: proposal, .rentalStarted(at: 1)) == nil)
    }

    @Test("A rental subject is encoded and decoded, and damage is detected")
    func subjects() {
        for subject in [RentalSubject.title("film"), .asset(Array("film".utf8)), .asset([0, 255])] {
            #expect(RentalSubject(encoded: subject.encoded) == subject)
        }
        #expect(RentalSubject.title("film").encoded != RentalSubject.asset(Array("film".utf8)).encoded)
        #expect(RentalSubject(encoded: []) == nil)
        #expect(RentalSubject(encoded: [2, 3]) == nil)
    }

    @Test("A place is encoded and decoded, and damage is detected")
    func clients() {
        for client in [Sample.client(7), .session(0), .session(.max)] {
            #expect(PlaybackClient(encoded: client.encoded) == client)
            #expect(PlaybackClient(encoded: Array(client.encoded.dropLast())) == nil)
            #expect(PlaybackClient(encoded: [2] + client.encoded.dropFirst()) == nil)
        }
        #expect(PlaybackClient(encoded: []) == nil)
    }
}

/// A row of the table of slots: the lease, the request, and the result. The time is 1,000, the requesting session is 5,
/// and its key lasts until 1,600.
struct SlotCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let own: LeaseRecord?
    let others: Int
    let limit: Int?
    let purpose: SlotClaim.Purpose
    let refusal: GrantRefusal.Code?
    let after: LeaseRecord?

    static let license = OfflineLicenseRecord(
        account: "anna",
        device: Sample.device(1),
        streamID: Sample.id(1),
        titleID: nil,
        assetID: [1, 2],
        granted: 0,
        storageUntil: 9_000,
        playback: 9_000,
        until: 9_000
    )

    private static func lease(
        _ session: UInt64?,
        since: Int64 = 500,
        until: Int64,
        _ purpose: SlotClaim.Purpose = .playback,
        ended: Int64? = nil
    ) -> LeaseRecord {
        LeaseRecord(
            account: "anna",
            client: Sample.client(1),
            sessionID: session,
            assetID: Array("movie/hd".utf8),
            since: since,
            until: until,
            purpose: purpose,
            ended: ended
        )
    }

    private static func row(
        _ words: String,
        _ own: LeaseRecord?,
        others: Int = 1,
        limit: Int? = 2,
        _ purpose: SlotClaim.Purpose = .playback,
        refuse refusal: GrantRefusal.Code? = nil,
        then after: LeaseRecord? = nil
    ) -> SlotCase {
        SlotCase(
            testDescription: words,
            own: own,
            others: others,
            limit: limit,
            purpose: purpose,
            refusal: refusal,
            after: after
        )
    }

    static let all: [SlotCase] = [
        row("free, below the limit", nil, then: lease(5, since: 1_000, until: 1_600)),
        row("free, limit reached", nil, others: 2, refuse: .streamsExceeded),
        row("free, no limit", nil, others: 99, limit: nil, then: lease(5, since: 1_000, until: 1_600)),
        row("free, negative limit", nil, others: 0, limit: -1, refuse: .streamsExceeded),
        row("own", lease(5, until: 1_300), then: lease(5, until: 1_600)),
        row("own, longer than requested", lease(5, until: 1_900), then: lease(5, until: 1_900)),
        row("own, others over the limit", lease(5, until: 1_300), others: 9, then: lease(5, until: 1_600)),
        row("another session's", lease(4, until: 1_900), then: lease(5, until: 1_900)),
        row("another session's, limit reached", lease(4, until: 1_900), others: 2, refuse: .streamsExceeded),
        row("expired", lease(5, until: 1_000), then: lease(5, since: 1_000, until: 1_600)),
        row("expired, limit reached", lease(5, until: 1_000), others: 2, .renewal, refuse: .streamsExceeded),
        row("expired, renewed", lease(5, until: 999), .renewal, then: lease(5, since: 1_000, until: 1_600, .renewal)),
        row("ended, another session's", lease(4, until: 1_900, ended: 900), then: lease(5, until: 1_900)),
        row(
            "ended, another session's, only reserved",
            lease(4, until: 1_900, ended: 900),
            .reservation,
            then: lease(5, until: 1_900, .reservation)
        ),
        row(
            "ended, another session's, expired",
            lease(4, until: 900, ended: 800),
            then: lease(5, since: 1_000, until: 1_600)
        ),
        row("own reservation, played", lease(5, until: 1_060, .reservation), then: lease(5, until: 1_600)),
        row("played, reserved", lease(5, until: 1_900), .reservation, then: lease(5, until: 1_900)),
        row("played by another, reserved", lease(4, until: 1_300), .reservation, then: lease(4, until: 1_600)),
    ]
}
