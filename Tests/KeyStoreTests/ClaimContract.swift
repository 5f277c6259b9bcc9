import FPSCrypto
import KeyStore
import Testing

extension KeyStoreContract {
    static let claims: [KeyStoreContract] = [
        .init(
            "The same request is a retry within grace, then a replay, and claims nothing twice",
            check: retryAndReplay
        ),
        .init(
            "A refused request writes only its audit record, and can be repeated",
            check: refusedLeavesNothing
        ),
        .init("A replay record lasts until its expiry, and at least as long as its retries", check: replayLasts),
        .init("A pruned store still distinguishes a retry from a replay", check: prunedReplay),
        .init("One request that arrives several times concurrently is granted once", check: manyAtOnce),
        .init("A single-use token belongs to its first account, client and session", check: tokenBinding),
        .init("A token's binding lasts until the latest expiry that it was used with", check: bindingLasts),
        .init("A device beyond the limit is refused until another is deleted", check: deviceLimit),
        .init("Of 50 new devices at the same time only as many as the limit are accepted", check: devicesAtOnce),
        .init("A proposal with a size out of bounds is rejected, and nothing is written", check: sizes),
        .init("An account may contain any bytes, and times may be any number", check: oddValues),
        .init("A replay key depends on R1, account and certificate, and contains none of them", check: replayKeys),
    ]
}

@Sendable
private func retryAndReplay(_ store: any KeyServerStore) async throws {
    let first = Sample.proposal(answer: 3).once(1).slot().counted()
    #expect(try await store.grant(first) == .granted)
    let retry = Sample.proposal(device: 2, at: 1_029, answer: 5).once(1).slot().counted()
    #expect(try await store.grant(retry) == .retried(Sample.answer(3)))
    #expect(try await store.grant(Sample.proposal(at: 1_030).once(1)).refusal == .replayed)
    #expect(try await store.leaseCount(at: 1_000) == 1)
    #expect(try await store.devices(account: "anna").count == 1)
    #expect(try await store.grant(Sample.proposal(at: 1_031).once(2)) == .granted)
    #expect(try await outcomes(store, 4) == ["issued", "retried", "replayed", "issued"])
}

@Sendable
private func refusedLeavesNothing(_ store: any KeyServerStore) async throws {
    _ = try await store.grant(Sample.proposal(device: 1).slot(limit: 1))
    let second = Sample.proposal(device: 2).once(1).bound(1).counted().rental().slot(limit: 1).offline()
    #expect(try await store.grant(second).refusal == .streamsExceeded)
    #expect(try await store.devices(account: "anna").isEmpty)
    #expect(try await store.rentals(account: "anna").isEmpty)
    #expect(try await store.offlineLicenses(account: "anna").isEmpty)
    let elsewhere = Sample.proposal("ben", device: 3).bound(1)
    #expect(try await store.grant(elsewhere) == .granted)
    let again = Sample.proposal(device: 2, at: 1_600).once(1).slot(limit: 1)
    #expect(try await store.grant(again) == .granted)
}

@Sendable
private func replayLasts(_ store: any KeyServerStore) async throws {
    _ = try await store.grant(Sample.proposal().once(1, expires: 2_000))
    #expect(try await store.prune(at: 1_999) == 0)
    #expect(try await store.grant(Sample.proposal(at: 1_999).once(1)).refusal == .replayed)
    #expect(try await store.prune(at: 2_000) == 1)
    #expect(try await store.grant(Sample.proposal(at: 2_000).once(1, expires: 1)) == .granted)
    #expect(try await store.grant(Sample.proposal(at: 2_029).once(1)) == .retried(Sample.answer()))
}

@Sendable
private func prunedReplay(_ store: any KeyServerStore) async throws {
    _ = try await store.grant(Sample.proposal(answer: 1).once(1))
    #expect(try await store.prune(at: 1_029) == 0)
    #expect(try await store.grant(Sample.proposal(at: 1_029).once(1)) == .retried(Sample.answer(1)))
    #expect(try await store.prune(at: 1_030) == 0)
    #expect(try await store.grant(Sample.proposal(at: 1_030).once(1)).refusal == .replayed)
}

@Sendable
private func manyAtOnce(_ store: any KeyServerStore) async throws {
    let granted = try await concurrently(50) { number in
        try await store.grant(Sample.proposal(device: number, answer: number).once(1))
    }
    #expect(granted.count(of: .granted) == 1)
    let answers = granted.filter { $0 != .granted }
    #expect(answers.count == 49)
    let isOneAnswer = answers.allSatisfy { $0 == answers[0] }
    #expect(isOneAnswer)
}

@Sendable
private func tokenBinding(_ store: any KeyServerStore) async throws {
    let first = Sample.proposal(session: 5).bound(1)
    #expect(try await store.grant(first) == .granted)
    #expect(
        try await store.grant(Sample.proposal(session: 5, at: 2_000, asset: "movie/sd").bound(1)) == .granted
    )
    let others = [
        Sample.proposal("ben", session: 5).bound(1), Sample.proposal(device: 2, session: 5).bound(1),
        Sample.proposal(session: 6).bound(1), first.behindAdapter(5), withoutSession(first),
        // Two spellings of one letter are two accounts.
        Sample.proposal("ann\u{e4}", session: 5).bound(2), Sample.proposal("anna\u{308}", session: 5).bound(2),
    ]
    var refusals: [GrantRefusal.Code?] = []
    for other in others { refusals.append(try await store.grant(other).refusal) }
    #expect(refusals == Array(repeating: .tokenAlreadyBound, count: 5) + [nil, .tokenAlreadyBound])
    #expect(try await store.prune(at: 5_000 + 3_599) == 0)
    #expect(try await store.prune(at: 5_000 + 3_600) == 2)
}

@Sendable
private func bindingLasts(_ store: any KeyServerStore) async throws {
    let first = Sample.proposal(session: 5)
    for (time, expires) in [(1_000, 5_000), (4_000, 9_000), (4_001, 6_000)] as [(Int64, Int64)] {
        let proposal = first.bound(1, expires: expires).with { $0.now = time }
        #expect(try await store.grant(proposal) == .granted)
    }
    // The first expiry passed long ago.
    #expect(try await store.prune(at: 9_000 + 3_599) == 0)
    let elsewhere = Sample.proposal("ben", at: 9_000).bound(1)
    #expect(try await store.grant(elsewhere).refusal == .tokenAlreadyBound)
    #expect(try await store.prune(at: 9_000 + 3_600) == 1)
}

@Sendable
private func deviceLimit(_ store: any KeyServerStore) async throws {
    for device in 1...2 {
        let proposal = Sample.proposal(device: device).counted(deviceClass: "Apple TV")
        #expect(try await store.grant(proposal) == .granted)
    }
    #expect(try await store.grant(Sample.proposal(device: 3).counted()).refusal == .devicesExceeded)
    #expect(try await store.grant(Sample.proposal(device: 2, at: 2_000).counted(limit: 1)) == .granted)
    #expect(try await store.grant(Sample.proposal(device: 3).behindAdapter(3).counted()) == .granted)
    let devices = try await store.devices(account: "anna")
    #expect(devices.map(\.device) == [Sample.device(1), Sample.device(2)])
    #expect(devices.map(\.firstSeen) == [1_000, 1_000])
    #expect(devices.map(\.lastSeen) == [1_000, 2_000])
    #expect(devices.map(\.deviceClass) == ["Apple TV", "Apple TV"])
    let device = Sample.device(1)
    #expect(try await store.deleteDevice(account: "anna", device: device, audit: Sample.audit(1)))
    #expect(try await !store.deleteDevice(account: "anna", device: device, audit: Sample.audit(2)))
    #expect(try await store.grant(Sample.proposal(device: 3).counted()) == .granted)
}

@Sendable
private func devicesAtOnce(_ store: any KeyServerStore) async throws {
    let found = try await concurrently(50) { device in
        try await store.grant(Sample.proposal(device: device).counted())
    }
    #expect(found.count(of: .granted) == 2)
    #expect(try await store.devices(account: "anna").count == 2)
}

@Sendable
private func sizes(_ store: any KeyServerStore) async throws {
    for proposal in outOfBounds() {
        await expectError(.invalidRecord) { () throws(KeyStoreError) in _ = try await store.grant(proposal) }
    }
    #expect(try await store.auditEntries(before: nil, limit: 10).isEmpty)
}

@Sendable
private func oddValues(_ store: any KeyServerStore) async throws {
    let odd = "a\0b'; DROP TABLE lease"
    let proposal = Sample.proposal(odd, at: Int64.max - 5).slot(limit: 1, for: 5).once(1, grace: Int64.max)
        .counted()
        .rental(start: Int64.min, duration: Int64.max, byToken: true).offline(storage: Int64.max, playback: Int64.max)
    #expect(try await store.grant(proposal).refusal == .rentalExpired)
    #expect(try await store.grant(withoutRental(proposal)) == .granted)
    #expect(try await store.devices(account: odd).first?.account == odd)
    #expect(try await store.devices(account: "a").isEmpty)
    #expect(try await store.offlineLicenses(account: odd).first?.until == Int64.max)
    #expect(try await store.prune(at: Int64.min) == 0)
}

@Sendable
private func replayKeys(_ store: any KeyServerStore) async throws {
    let (r1, other) = (Sample.secret(44), Sample.secret(44))
    let key = store.replayKey(r1: r1, account: "anna", certificateHash: Sample.hash(1))
    #expect(key.count == 32)
    #expect(key == store.replayKey(r1: r1, account: "anna", certificateHash: Sample.hash(1)))
    let others = [
        store.replayKey(r1: other, account: "anna", certificateHash: Sample.hash(1)),
        store.replayKey(r1: r1, account: "ben", certificateHash: Sample.hash(1)),
        store.replayKey(r1: r1, account: "anna", certificateHash: Sample.hash(2)),
        store.replayKey(r1: r1, account: "", certificateHash: Array("anna".utf8) + Sample.hash(1)),
    ]
    #expect(Set(others + [key]).count == 5)
}

private func withoutSession(_ proposal: GrantProposal) -> GrantProposal { proposal.with { $0.sessionID = nil } }

private func withoutRental(_ proposal: GrantProposal) -> GrantProposal { proposal.with { $0.rental = nil } }

/// Returns proposals that every store rejects.
private func outOfBounds() -> [GrantProposal] {
    let empty = IssuedLicense(ckc: [], isPersistable: false, hasDualExpiry: false)
    return [
        Sample.proposal(""), Sample.proposal(String(repeating: "a", count: 201)), Sample.proposal(asset: "a"),
        Sample.proposal().with { $0.answer = empty },
        Sample.proposal().with { $0.replay = ReplayClaim(key: [1], expires: 1, grace: 1) },
        Sample.proposal().with { $0.binding = TokenBindingClaim(token: [1], expires: 1) },
        Sample.proposal().rental(.title("")),
        Sample.proposal().rental(.asset(Array(repeating: 1, count: 201))), Sample.proposal().behindAdapter(1).offline(),
    ]
}
