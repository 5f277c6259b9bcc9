import KeyStore
import Testing

extension KeyStoreContract {
    static let sync: [KeyStoreContract] = [
        .init("A shorter remaining time than the storage duration reveals first play, and brings the end nearer") {
            store in
            _ = try await store.grant(Sample.proposal().offline(storage: 10_000, playback: 500))
            // The storage duration has 9,000 seconds left: within the tolerance the key counts as not played.
            var license = try await report(store, 8_940, at: 2_000)
            #expect(license?.firstPlaySeen == nil && license?.until == 11_500 && license?.reported == 2_000)
            license = try await report(store, nil, at: 2_001)
            #expect(license?.firstPlaySeen == nil && license?.until == 11_500)
            license = try await report(store, 450, at: 3_000)
            #expect(license?.firstPlaySeen == 3_000 && license?.until == 3_450)
            // No later report extends it again.
            license = try await report(store, 9_000, at: 3_100)
            #expect(license?.firstPlaySeen == 3_000 && license?.until == 3_450)
            license = try await report(store, 0, at: 3_200)
            #expect(license?.end == .expired && license?.ended == 3_200 && license?.until == 3_200)
            let again = Sample.proposal(at: 3_300).offline(storage: 10_000, playback: 500)
            #expect(try await store.grant(again).refusal == .renewalAfterExpiry)
        },
        .init("First play is detected for a key with unlimited storage, and not for a key with one expiry") { store in
            _ = try await store.grant(Sample.proposal().offline(1, title: 8, storage: nil, playback: 500))
            _ = try await store.grant(Sample.proposal().offline(2, title: 9, storage: 10_000))
            _ = try await store.grant(Sample.proposal().offline(3, title: 9, storage: 10_000, dual: true))
            _ = try await store.record(Sample.sync(at: 2_000, title: 8, .report(remaining: 400)))
            for now: Int64 in [2_000, 2_001] {
                _ = try await store.record(Sample.sync(at: now, title: 9, .report(remaining: 400)))
            }
            let licenses = try await store.offlineLicenses(account: "anna")
            #expect(licenses.map(\.until) == [2_400, 2_400, nil])
            #expect(licenses.map(\.firstPlaySeen) == [2_000, nil, nil])
        },
        .init("A report is matched by stream or title, for its account and device only") { store in
            for stream in 1...2 { _ = try await store.grant(Sample.proposal().offline(stream, title: 9)) }
            _ = try await store.grant(Sample.proposal().offline(3, title: nil))
            _ = try await store.grant(Sample.proposal(device: 2).offline(1, title: 9))
            _ = try await store.grant(Sample.proposal("ben").offline(1, title: 9))
            let claims = [
                Sample.sync(at: 2_000, title: 9, .report(remaining: 5)),
                Sample.sync(at: 2_000, stream: 3, .report(remaining: 5)),
                Sample.sync(at: 2_000, stream: 4, .report(remaining: 5)),
                Sample.sync("carl", at: 2_000, stream: 1, .report(remaining: 5)),
                Sample.sync(at: 2_000, .report(remaining: 5)),
            ]
            let expected = [2, 1, 0, 0, 0].map { SyncOutcome.recorded(records: $0) }
            var found: [SyncOutcome] = []
            for claim in claims { found.append(try await store.record(claim)) }
            #expect(found == expected)
            let reported = try await store.offlineLicenses(account: "anna").map(\.reported)
            #expect(reported == [2_000, 2_000, 2_000, nil])
            #expect(try await store.offlineLicenses(account: "ben").map(\.reported) == [nil])
            #expect(try await outcomes(store, 5) == Array(repeating: "reported", count: 5))
        },
        .init("An invalidation ends every key that it lists, and uses up its challenge") { store in
            for stream in 1...3 { _ = try await store.grant(Sample.proposal().offline(stream).counted()) }
            let challenge = try await store.createChallenge(account: "anna", now: 2_000, expires: 2_100)
            #expect(challenge != 0)
            let streams = [Sample.id(1), Sample.id(3), Sample.id(3), Sample.id(4)]
            let claim = Sample.sync(
                at: 2_050,
                title: 9,
                .invalidated(streamIDs: streams, hadExpired: false, challenge: challenge)
            )
            #expect(try await store.record(claim) == .recorded(records: 2))
            #expect(try await store.record(claim).refusal == .challengeUnknown)
            let licenses = try await store.offlineLicenses(account: "anna")
            #expect(licenses.map(\.end) == [.invalidated, nil, .invalidated])
            #expect(licenses.map(\.until) == [2_050, 87_400, 2_050])
            // It does not free the device's place, and the key may be granted again.
            #expect(try await store.devices(account: "anna").count == 1)
            #expect(try await store.grant(Sample.proposal(at: 3_000).offline(1)) == .granted)
            #expect(try await store.offlineLicenses(account: "anna").first?.end == nil)
            #expect(try await outcomes(store, 3) == ["reported", "challenge-unknown", "issued"])
        },
        .init("A challenge of another account, an expired one, or an unknown one changes nothing") {
            store in
            _ = try await store.grant(Sample.proposal().offline())
            let bens = try await store.createChallenge(account: "ben", now: 2_000, expires: 2_100)
            let old = try await store.createChallenge(account: "anna", now: 2_000, expires: 2_050)
            for challenge in [bens, old, 0, ~bens] {
                for message: SyncClaim.Message in [
                    .invalidated(streamIDs: [Sample.id(1)], hadExpired: false, challenge: challenge),
                    .notFound(challenge: challenge), .expired(challenge: challenge),
                ] {
                    let claim = Sample.sync(at: 2_050, stream: 1, message)
                    #expect(try await store.record(claim).refusal == .challengeUnknown)
                }
            }
            let license = try await store.offlineLicenses(account: "anna").first
            #expect(license?.end == nil && license?.reported == nil)
            // Another account's attempt does not use up the challenge.
            let own = Sample.sync("ben", at: 2_099, stream: 1, .notFound(challenge: bens))
            #expect(try await store.record(own) == .recorded(records: 0))
            #expect(try await store.prune(at: 2_050) == 1)
        },
        .init("One challenge is accepted for one of several simultaneous claims") { store in
            let challenge = try await store.createChallenge(account: "anna", now: 2_000, expires: 2_100)
            let found = try await concurrently(30) { _ in
                try await store.record(Sample.sync(at: 2_000, stream: 1, .notFound(challenge: challenge)))
            }
            #expect(found.count(of: .recorded(records: 0)) == 1)
        },
        .init("An invalidation of expired keys ends them as expired, so it does not circumvent the expiry") { store in
            for stream in 1...3 {
                _ = try await store.grant(Sample.proposal().offline(stream, storage: 9_000, playback: 9_000))
            }
            try await answer(store, at: 1_500) {
                .invalidated(streamIDs: [Sample.id(1)], hadExpired: true, challenge: $0)
            }
            try await answer(store, at: 1_500) {
                .invalidated(streamIDs: [Sample.id(2)], hadExpired: false, challenge: $0)
            }
            // The deletion of this key was not reported in time.
            try await answer(store, at: 19_500) {
                .invalidated(streamIDs: [Sample.id(3)], hadExpired: false, challenge: $0)
            }
            let ends = try await store.offlineLicenses(account: "anna").map(\.end)
            #expect(ends == [.expired, .invalidated, .invalidated])
            var refusals: [GrantRefusal.Code?] = []
            for stream in 1...3 {
                refusals.append(try await store.grant(Sample.proposal(at: 20_000).offline(stream)).refusal)
            }
            #expect(refusals == [.renewalAfterExpiry, nil, .renewalAfterExpiry])
        },
        .init("A key that is not found is recorded and ends nothing; an expired one ends if it is unambiguous") {
            store in
            for stream in 1...2 {
                _ = try await store.grant(Sample.proposal().offline(stream, title: 8, storage: 1_000))
            }
            _ = try await store.grant(Sample.proposal().offline(3, title: 9, storage: 1_000))
            try await answer(store, title: 8, records: 2, at: 1_500) { .notFound(challenge: $0) }
            try await answer(store, title: 9, records: 1, at: 1_500) { .notFound(challenge: $0) }
            try await answer(store, title: 8, records: 2, at: 1_501) { .expired(challenge: $0) }
            var licenses = try await store.offlineLicenses(account: "anna")
            #expect(licenses.map(\.end) == [nil, nil, nil])
            #expect(licenses.map(\.until) == [2_000, 2_000, 2_000])
            #expect(licenses.map(\.reported) == [1_501, 1_501, 1_500])
            try await answer(store, title: 9, records: 1, at: 1_502) { .expired(challenge: $0) }
            licenses = try await store.offlineLicenses(account: "anna")
            #expect(licenses.map(\.end) == [nil, nil, .expired])
            let again = Sample.proposal(at: 1_600).offline(3, title: 9)
            #expect(try await store.grant(again).refusal == .renewalAfterExpiry)
        },
        .init("An SPC that was created before a key was granted does not affect the key") { store in
            _ = try await store.grant(Sample.proposal(at: 1_000).offline())
            _ = try await store.grant(Sample.proposal(at: 9_500).offline())
            let late = Sample.sync(at: 9_600, stream: 1, made: 9_000, .report(remaining: 5))
            #expect(try await store.record(late) == .recorded(records: 0))
            let challenge = try await store.createChallenge(account: "anna", now: 9_000, expires: 9_700)
            let gone = SyncClaim.Message.invalidated(
                streamIDs: [Sample.id(1)],
                hadExpired: false,
                challenge: challenge
            )
            let held = Sample.sync(at: 9_600, made: 9_499, gone)
            #expect(try await store.record(held) == .recorded(records: 0))
            let license = try await store.offlineLicenses(account: "anna").first
            #expect(license?.until == 95_900 && license?.end == nil && license?.reported == nil)
            // The challenge was for one use, whatever the result.
            #expect(try await store.record(held).refusal == .challengeUnknown)
            let fresh = Sample.sync(at: 9_600, stream: 1, made: 9_500, .report(remaining: 5))
            #expect(try await store.record(fresh) == .recorded(records: 1))
            #expect(try await store.offlineLicenses(account: "anna").first?.until == 9_605)
        },
        .init("A Sync claim with a size out of bounds is rejected") { store in
            let tooMany = Array(repeating: Sample.id(1), count: SyncClaim.maximumStreamIDs + 1)
            let claims = [
                Sample.sync("", at: 1, .report(remaining: 1)),
                Sample.sync(at: 1, .invalidated(streamIDs: [[1]], hadExpired: false, challenge: 1)),
                Sample.sync(at: 1, .invalidated(streamIDs: tooMany, hadExpired: false, challenge: 1)),
            ]
            for claim in claims {
                await expectError(.invalidRecord) { () throws(KeyStoreError) in _ = try await store.record(claim) }
            }
            await expectError(.invalidRecord) { () throws(KeyStoreError) in
                _ = try await store.createChallenge(account: "", now: 1, expires: 2)
            }
        },
    ]
}

/// Reports on stream 1 of device 1, and reads the record again.
private func report(_ store: any KeyServerStore, _ remaining: Int64?, at now: Int64) async throws
    -> OfflineLicenseRecord?
{
    let found = try await store.record(Sample.sync(at: now, stream: 1, .report(remaining: remaining)))
    #expect(found == .recorded(records: 1))
    return try await store.offlineLicenses(account: "anna").first
}

/// Responds to a requested invalidation, from a device with this number of matching keys.
private func answer(
    _ store: any KeyServerStore,
    title: Int? = nil,
    records: Int = 1,
    at now: Int64,
    _ message: (UInt64) -> SyncClaim.Message
) async throws {
    let challenge = try await store.createChallenge(account: "anna", now: now, expires: now + 10)
    let found = try await store.record(Sample.sync(at: now, title: title, message(challenge)))
    #expect(found == .recorded(records: records))
}
