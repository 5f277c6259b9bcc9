import KeyStore
import Testing

extension KeyStoreContract {
    static let rentals: [KeyStoreContract] = [
        .init("A rental starts once; further requests continue it, and then it expires") { store in
            #expect(try await store.grant(Sample.proposal().rental()) == .granted)
            let again = Sample.proposal(at: 2_000).rental()
            #expect(try await store.grant(again) == .rentalStarted(at: 1_000))
            // No audit record for a proposal that will be repeated.
            #expect(try await outcomes(store, 10) == ["issued"])
            let repeated = Sample.proposal(device: 2, at: 2_000).rental(start: 1_000)
            #expect(try await store.grant(repeated) == .granted)
            #expect(try await store.grant(Sample.proposal(at: 4_599).rental(start: 1_000)) == .granted)
            #expect(try await store.grant(Sample.proposal(at: 4_600).rental(start: 1_000)).refusal == .rentalExpired)
            #expect(try await store.grant(Sample.proposal(at: 4_600).rental()).refusal == .rentalExpired)
            let rental = try await store.rental(account: "anna", subject: .title("movie"))
            #expect(rental?.start == 1_000 && rental?.end == 4_600 && rental?.client == Sample.client(1))
            #expect(try await store.rental(account: "ben", subject: .title("movie")) == nil)
        },
        .init("A later start in a token begins a new rental, an earlier one does not") { store in
            _ = try await store.grant(Sample.proposal().rental(start: 900, byToken: true))
            let earlier = Sample.proposal(device: 2).rental(start: 800, byToken: true)
            #expect(try await store.grant(earlier) == .rentalStarted(at: 900))
            let later = Sample.proposal(device: 2, at: 9_000).rental(start: 8_000, byToken: true)
            #expect(try await store.grant(later) == .granted)
            let rental = try await store.rental(account: "anna", subject: .title("movie"))
            #expect(rental?.start == 8_000 && rental?.client == Sample.client(2))
            let over = Sample.proposal("ben", at: 9_000).rental(start: 1_000, byToken: true)
            #expect(try await store.grant(over).refusal == .rentalExpired)
        },
        .init("A rental may be bound to the device of its first license") { store in
            _ = try await store.grant(Sample.proposal().rental(binds: true))
            let other = Sample.proposal(device: 2).rental(binds: true)
            #expect(try await store.grant(other).refusal == .rentalOnOtherDevice)
            #expect(try await store.grant(Sample.proposal(session: 7, at: 1_001).rental(start: 1_000)) == .granted)
            #expect(try await store.grant(Sample.proposal(device: 2).rental()) == .granted)
        },
        .init("A rental for one device can neither start nor continue on an adapter") { store in
            let behind = Sample.proposal().behindAdapter(7)
            #expect(try await store.grant(behind.rental(binds: true)).refusal == .rentalNeedsDevice)
            #expect(try await store.rentals(account: "anna").isEmpty)
            #expect(try await store.grant(Sample.proposal().rental(binds: true)) == .granted)
            #expect(try await store.grant(behind.rental(binds: true)).refusal == .rentalNeedsDevice)
            // If it started there before it was bound, it is bound to the first device.
            _ = try await store.grant(behind.rental(.title("other")))
            #expect(try await store.grant(Sample.proposal(device: 2).rental(.title("other"), binds: true)) == .granted)
            let third = Sample.proposal(device: 3).rental(.title("other"), binds: true)
            #expect(try await store.grant(third).refusal == .rentalOnOtherDevice)
        },
        .init("A rental without an end can be bound to a device") { store in
            _ = try await store.grant(Sample.proposal().rental(duration: .max, binds: true))
            let late = Sample.proposal(device: 2, at: .max - 1).rental(start: 1_000, duration: .max, binds: true)
            #expect(try await store.grant(late).refusal == .rentalOnOtherDevice)
            #expect(try await store.rentals(account: "anna").map(\.end) == [.max])
        },
        .init("A deleted rental starts again") { store in
            _ = try await store.grant(Sample.proposal().rental())
            _ = try await store.grant(Sample.proposal().rental(.title("another")))
            let subjects = try await store.rentals(account: "anna").map(\.subject)
            #expect(subjects == [.title("another"), .title("movie")])
            let subject = RentalSubject.title("movie")
            #expect(try await store.deleteRental(account: "anna", subject: subject, audit: Sample.audit(1)))
            #expect(try await !store.deleteRental(account: "anna", subject: subject, audit: Sample.audit(2)))
            #expect(try await store.grant(Sample.proposal(at: 9_000).rental()) == .granted)
        },
        .init("A rental that is deleted while its next license is created stays deleted") { store in
            _ = try await store.grant(Sample.proposal().rental())
            let subject = RentalSubject.title("movie")
            _ = try await store.deleteRental(account: "anna", subject: subject, audit: Sample.audit(1))
            let stale = Sample.proposal(at: 2_000).rental(start: 1_000)
            #expect(try await store.grant(stale) == .rentalStarted(at: 2_000))
            #expect(try await store.rentals(account: "anna").isEmpty)
            #expect(try await store.grant(Sample.proposal(at: 2_000).rental()) == .granted)
            #expect(try await store.rentals(account: "anna").map(\.start) == [2_000])
        },
        .init("A title and an asset of the same name are two rentals") { store in
            let asset = RentalSubject.asset(Array("movie".utf8))
            _ = try await store.grant(Sample.proposal().rental())
            #expect(try await store.grant(Sample.proposal(at: 2_000).rental(asset)) == .granted)
            let rentals = try await store.rentals(account: "anna")
            #expect(rentals.map(\.subject) == [.title("movie"), asset])
            #expect(rentals.map(\.start) == [1_000, 2_000])
            #expect(try await store.deleteRental(account: "anna", subject: asset, audit: Sample.audit(1)))
            #expect(try await store.rental(account: "anna", subject: asset) == nil)
            #expect(try await store.rental(account: "anna", subject: .title("movie")) == rentals.first)
        },
        .init("Of first licenses that arrive at the same time one starts the rental") { store in
            let found = try await concurrently(40) { second in
                try await store.grant(Sample.proposal(at: 1_000 + Int64(second)).rental())
            }
            #expect(found.count(of: .granted) == 1)
        },
    ]

    static let offline: [KeyStoreContract] = [
        .init("A persistent key is recorded with the later limit, and with all its fields") { store in
            let deadline = Sample.proposal(at: 1_000).offline(1, storage: 1_000, playback: 200)
            #expect(try await store.grant(deadline) == .granted)
            _ = try await store.grant(Sample.proposal(at: 1_000).offline(2, title: nil, storage: 1_000))
            _ = try await store.grant(Sample.proposal(at: 1_000).offline(3, storage: 1_000, dual: true))
            _ = try await store.grant(Sample.proposal(at: 1_000).offline(4, storage: nil, playback: 200))
            _ = try await store.grant(Sample.proposal(at: 1_000).offline(5, storage: nil))
            let licenses = try await store.offlineLicenses(account: "anna")
            let streams = (1...5).map { Sample.id($0) }
            #expect(licenses.map(\.streamID) == streams)
            #expect(licenses.map(\.until) == [2_200, 2_000, nil, nil, nil])
            #expect(licenses.map(\.storageUntil) == [2_000, 2_000, 2_000, nil, nil])
            #expect(licenses.map(\.titleID) == [Sample.id(9), nil, Sample.id(9), Sample.id(9), Sample.id(9)])
            let expected = OfflineLicenseRecord(
                account: "anna",
                device: Sample.device(1),
                streamID: Sample.id(1),
                titleID: Sample.id(9),
                assetID: Array("movie/hd".utf8),
                granted: 1_000,
                storageUntil: 2_000,
                playback: 200,
                until: 2_200
            )
            #expect(licenses.first == expected)
        },
        .init("A persistent key is renewed before it expires, and after it if the policy allows it") { store in
            _ = try await store.grant(Sample.proposal().offline(storage: 1_000))
            #expect(try await store.grant(Sample.proposal(at: 1_999).offline(storage: 1_000)) == .granted)
            let late = Sample.proposal(at: 2_999).offline(storage: 1_000)
            #expect(try await store.grant(late).refusal == .renewalAfterExpiry)
            #expect(try await store.grant(late.at(Sample.client(2))) == .granted)
            #expect(try await store.grant(Sample.proposal(at: 2_999).offline(storage: 1_000, renew: true)) == .granted)
        },
        .init("A revoked key is never granted again") { store in
            _ = try await store.grant(Sample.proposal().offline(storage: 1_000))
            let stream = Sample.id(1)
            #expect(try await revoke(store, at: 1_100))
            #expect(try await !revoke(store, at: 1_200))
            let challenge = try await store.createChallenge(account: "anna", now: 1_200, expires: 1_300)
            let gone = Sample.sync(
                at: 1_200,
                .invalidated(streamIDs: [stream], hadExpired: false, challenge: challenge)
            )
            #expect(try await store.record(gone) == .recorded(records: 1))
            let license = try await store.offlineLicenses(account: "anna").first
            #expect(license?.end == .revoked && license?.ended == 1_100 && license?.until == 1_200)
            let again = Sample.proposal(at: 1_300).offline(renew: true)
            #expect(try await store.grant(again).refusal == .licenseRevoked)
        },
        .init("Persistent keys of all accounts are listed page by page, despite concurrent changes") { store in
            for account in ["ben", "anna", "\u{e9}va", "z"] {
                for (device, stream) in [(2, 1), (1, 2), (1, 1)] {
                    _ = try await store.grant(Sample.proposal(account, device: device).offline(stream))
                }
            }
            var found: [OfflineLicenseRecord] = []
            while true {
                let page = try await store.offlineLicenses(playableAt: nil, after: found.last, limit: 5)
                #expect(page.count <= 5)
                found += page
                guard page.count == 5 else { break }
                // Precedes the last known record, so it is in no later page.
                _ = try await store.grant(Sample.proposal("aaron", device: found.count).offline())
            }
            let order = [(1, 1), (1, 2), (2, 1)]
            #expect(found.map(\.account) == ["anna", "ben", "z", "\u{e9}va"].flatMap { [$0, $0, $0] })
            #expect(found.map(\.device) == (0..<4).flatMap { _ in order.map { Sample.device($0.0) } })
            #expect(found.map(\.streamID) == (0..<4).flatMap { _ in order.map { Sample.id($0.1) } })
            let annas = try await store.offlineLicenses(account: "anna")
            #expect(Array(found.prefix(3)) == annas)
            #expect(try await store.offlineLicenses(playableAt: nil, after: nil, limit: 1_000).count == 14)
        },
        .init("The persistent keys that can still be played can be listed") { store in
            _ = try await store.grant(Sample.proposal().offline(1, storage: 1_000))
            _ = try await store.grant(Sample.proposal().offline(2, storage: 1_000, playback: 500))
            _ = try await store.grant(Sample.proposal().offline(3, storage: nil))
            _ = try await store.grant(Sample.proposal(device: 2).offline(4, storage: nil))
            let stream = Sample.id(4)
            let challenge = try await store.createChallenge(account: "anna", now: 1_200, expires: 1_300)
            let gone = Sample.sync(
                device: 2,
                at: 1_200,
                .invalidated(streamIDs: [stream], hadExpired: false, challenge: challenge)
            )
            #expect(try await store.record(gone) == .recorded(records: 1))
            // A revoked key is still on the device.
            #expect(try await revoke(store, at: 1_300))
            for (time, streams) in [(Int64(1_999), [1, 2, 3]), (2_000, [2, 3]), (2_499, [2, 3]), (2_500, [3])] {
                let found = try await store.offlineLicenses(playableAt: time, after: nil, limit: 10)
                let (identifiers, expected) = (found.map(\.streamID), streams.map { Sample.id($0) })
                #expect(identifiers == expected, "at \(time)")
            }
            #expect(try await store.offlineLicenses(playableAt: nil, after: nil, limit: 10).count == 4)
        },
    ]
}

/// Revokes stream 1 on device 1.
private func revoke(_ store: any KeyServerStore, at now: Int64) async throws -> Bool {
    try await store.revokeOfflineLicense(
        account: "anna",
        device: Sample.device(1),
        streamID: Sample.id(1),
        now: now,
        audit: Sample.audit(now)
    )
}
