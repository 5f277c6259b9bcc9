import KeyStore
import Testing

extension KeyStoreContract {
    static let sync: [KeyStoreContract] = [
        .init("First play shows when less remains than storage still allows, and brings the end nearer") { store in
            _ = try await store.grant(Sample.proposal().kept(storage: 10_000, playback: 500))
            // Storage allows 9,000 more seconds: within the tolerance this is still storage.
            var license = try await report(store, 8_940, at: 2_000)
            #expect(license?.firstPlaySeen == nil && license?.until == 11_500 && license?.reported == 2_000)
            license = try await report(store, nil, at: 2_001)
            #expect(license?.firstPlaySeen == nil && license?.until == 11_500)
            license = try await report(store, 450, at: 3_000)
            #expect(license?.firstPlaySeen == 3_000 && license?.until == 3_450)
            // Nothing lengthens it again.
            license = try await report(store, 9_000, at: 3_100)
            #expect(license?.firstPlaySeen == 3_000 && license?.until == 3_450)
            license = try await report(store, 0, at: 3_200)
            #expect(license?.end == .expired && license?.ended == 3_200 && license?.until == 3_200)
            let again = Sample.proposal(at: 3_300).kept(storage: 10_000, playback: 500)
            #expect(try await store.grant(again).refusal == .renewalAfterExpiry)
        },
        .init("First play shows for a key that may be kept for ever, and not for one with one expiry") { store in
            _ = try await store.grant(Sample.proposal().kept(1, title: 8, storage: nil, playback: 500))
            _ = try await store.grant(Sample.proposal().kept(2, title: 9, storage: 10_000))
            _ = try await store.grant(Sample.proposal().kept(3, title: 9, storage: 10_000, dual: true))
            _ = try await store.record(Sample.sync(at: 2_000, title: 8, .report(remaining: 400)))
            for now: Int64 in [2_000, 2_001] {
                _ = try await store.record(Sample.sync(at: now, title: 9, .report(remaining: 400)))
            }
            let licenses = try await store.offlineLicenses(account: "anna")
            #expect(licenses.map(\.until) == [2_400, 2_400, nil])
            #expect(licenses.map(\.firstPlaySeen) == [2_000, nil, nil])
        },
        .init("A report is matched by stream or title, for its account and device only") { store in
            for stream in 1...2 { _ = try await store.grant(Sample.proposal().kept(stream, title: 9)) }
            _ = try await store.grant(Sample.proposal().kept(3, title: nil))
            _ = try await store.grant(Sample.proposal(device: 2).kept(1, title: 9))
            _ = try await store.grant(Sample.proposal("ben").kept(1, title: 9))
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
        .init("An invalidation ends every key that it lists, and uses its challenge up") { store in
            for stream in 1...3 { _ = try await store.grant(Sample.proposal().kept(stream).counted()) }
            let challenge = try await store.makeChallenge(account: "anna", now: 2_000, expires: 2_100)
            #expect(challenge != 0)
            let streams = [Sample.id(1), Sample.id(3), Sample.id(3), Sample.id(4)]
            let claim = Sample.sync(at: 2_050, title: 9, .invalidated(streamIDs: streams, challenge: challenge))
            #expect(try await store.record(claim) == .recorded(records: 2))
            #expect(try await store.record(claim).refusal == .challengeUnknown)
            let licenses = try await store.offlineLicenses(account: "anna")
            #expect(licenses.map(\.end) == [.invalidated, nil, .invalidated])
            #expect(licenses.map(\.until) == [2_050, 87_400, 2_050])
            // The place of a device is not freed by it, and the key may be given anew.
            #expect(try await store.devices(account: "anna").count == 1)
            #expect(try await store.grant(Sample.proposal(at: 3_000).kept(1)) == .granted)
            #expect(try await store.offlineLicenses(account: "anna").first?.end == nil)
            #expect(try await outcomes(store, 3) == ["reported", "challenge-unknown", "issued"])
        },
        .init("A challenge that is not this account's, or has expired, or was never given out changes nothing") {
            store in
            _ = try await store.grant(Sample.proposal().kept())
            let bens = try await store.makeChallenge(account: "ben", now: 2_000, expires: 2_100)
            let old = try await store.makeChallenge(account: "anna", now: 2_000, expires: 2_050)
            for challenge in [bens, old, 0, ~bens] {
                for message: SyncClaim.Message in [
                    .invalidated(streamIDs: [Sample.id(1)], challenge: challenge), .notFound(challenge: challenge),
                    .expired(challenge: challenge),
                ] {
                    let claim = Sample.sync(at: 2_050, stream: 1, message)
                    #expect(try await store.record(claim).refusal == .challengeUnknown)
                }
            }
            let license = try await store.offlineLicenses(account: "anna").first
            #expect(license?.end == nil && license?.reported == nil)
            // Another's attempt does not use it up.
            let own = Sample.sync("ben", at: 2_099, stream: 1, .notFound(challenge: bens))
            #expect(try await store.record(own) == .recorded(records: 0))
            #expect(try await store.prune(at: 2_050) == 1)
        },
        .init("One challenge serves one of many claims that arrive at once") { store in
            let challenge = try await store.makeChallenge(account: "anna", now: 2_000, expires: 2_100)
            let found = try await concurrently(30) { _ in
                try await store.record(Sample.sync(at: 2_000, stream: 1, .notFound(challenge: challenge)))
            }
            #expect(found.count(of: .recorded(records: 0)) == 1)
        },
        .init("A key that is not found or has expired on the device ends; one that ran out before stays so") { store in
            for stream in 1...3 { _ = try await store.grant(Sample.proposal().kept(stream, storage: 1_000)) }
            try await end(store, 1, at: 1_500) { .notFound(challenge: $0) }
            try await end(store, 2, at: 1_500) { .expired(challenge: $0) }
            try await end(store, 3, at: 2_500) { .notFound(challenge: $0) }
            let ends = try await store.offlineLicenses(account: "anna").map(\.end)
            #expect(ends == [.notFound, .expired, .notFound])
            var refusals: [GrantRefusal.Code?] = []
            for stream in 1...3 {
                refusals.append(try await store.grant(Sample.proposal(at: 3_000).kept(stream, storage: 1_000)).refusal)
            }
            #expect(refusals == [nil, .renewalAfterExpiry, .renewalAfterExpiry])
        },
        .init("A Sync claim of a size that is out of bounds is refused") { store in
            let claims = [
                Sample.sync("", at: 1, .report(remaining: 1)),
                Sample.sync(at: 1, .invalidated(streamIDs: [[1]], challenge: 1)),
                Sample.sync(at: 1, .invalidated(streamIDs: Array(repeating: Sample.id(1), count: 1_001), challenge: 1)),
            ]
            for claim in claims {
                await expectError(.invalidRecord) { () throws(KeyStoreError) in _ = try await store.record(claim) }
            }
            await expectError(.invalidRecord) { () throws(KeyStoreError) in
                _ = try await store.makeChallenge(account: "", now: 1, expires: 2)
            }
        },
    ]
}

/// Reports on stream 1 of device 1, and reads its record again.
private func report(_ store: any KeyStore, _ remaining: Int64?, at now: Int64) async throws -> OfflineLicenseRecord? {
    let found = try await store.record(Sample.sync(at: now, stream: 1, .report(remaining: remaining)))
    #expect(found == .recorded(records: 1))
    return try await store.offlineLicenses(account: "anna").first
}

/// Answers an invalidation of a stream.
private func end(
    _ store: any KeyStore,
    _ stream: Int,
    at now: Int64,
    _ message: (UInt64) -> SyncClaim.Message
) async throws {
    let challenge = try await store.makeChallenge(account: "anna", now: now, expires: now + 10)
    let found = try await store.record(Sample.sync(at: now, stream: stream, message(challenge)))
    #expect(found == .recorded(records: 1))
}
