import KeyStore
import Testing

extension KeyStoreContract {
    static let slots: [KeyStoreContract] = [
        .init("At most as many clients as the limit may have a key, and an expired key frees its slot") { store in
            for device in 1...2 {
                #expect(try await store.grant(Sample.proposal(device: device).slot()) == .granted)
            }
            let third = try await store.grant(Sample.proposal(device: 3, at: 1_599).slot())
            #expect(third.refusal == .streamsExceeded)
            #expect(try await store.grant(Sample.proposal("ben", device: 3).slot()) == .granted)
            #expect(try await store.grant(Sample.proposal(device: 3, at: 1_600).slot()) == .granted)
            #expect(try await outcomes(store, 5) == ["issued", "issued", "streams-exceeded", "issued", "issued"])
        },
        .init("All keys of a session share a slot, and a new session of the device takes it over") { store in
            #expect(try await store.grant(Sample.proposal(session: 5).slot(limit: 1)) == .granted)
            #expect(try await store.grant(Sample.proposal(session: 5, at: 1_010).slot(limit: 1)) == .granted)
            #expect(try await store.grant(Sample.proposal(session: 6, at: 1_020).slot(limit: 1, for: 9)) == .granted)
            let leases = try await store.leases(account: "anna", at: 1_020, after: nil, limit: 10)
            #expect(leases.count == 1)
            #expect(leases.first?.sessionID == 6)
            #expect(leases.first?.since == 1_000)
            // The later expiry applies, because the first session's key is still valid until then.
            #expect(leases.first?.until == 1_610)
        },
        .init("Sessions of an adapter are counted in addition to devices") { store in
            let session = Sample.proposal(session: 5).behindAdapter(5).slot()
            #expect(try await store.grant(session) == .granted)
            #expect(try await store.grant(session.behindAdapter(6)) == .granted)
            #expect(try await store.grant(Sample.proposal(device: 5).slot()).refusal == .streamsExceeded)
            let count = try await store.leaseCount(at: 1_000)
            #expect(count == 2)
        },
        .init("A reservation extends a slot, never shortens it, and does not take it from playback") { store in
            _ = try await store.grant(Sample.proposal(session: 5).slot(limit: 1, for: 60, .reservation))
            _ = try await store.grant(Sample.proposal(session: 5, at: 1_010).slot(limit: 1, for: 600, .playback))
            for session: UInt64 in [5, 6] {
                let reservation = Sample.proposal(session: session, at: 1_020).slot(limit: 1, for: 60, .reservation)
                #expect(try await store.grant(reservation) == .granted)
            }
            let lease = try await store.leases(account: "anna", at: 1_020, after: nil, limit: 10).first
            #expect(lease?.until == 1_610)
            #expect(lease?.sessionID == 5)
            #expect(lease?.purpose == .playback)
        },
        .init("An ended session gets no more keys, and its slot counts until its key expires") { store in
            let client = Sample.client(1)
            _ = try await store.grant(Sample.proposal(session: 5).slot(limit: 1))
            #expect(try await store.endLease(account: "anna", client: client, now: 1_100, audit: Sample.audit(1)))
            #expect(try await !store.endLease(account: "anna", client: client, now: 1_100, audit: Sample.audit(2)))
            for purpose in SlotClaim.Purpose.allCases {
                for time: Int64 in [1_200, 1_600, 2_000] {
                    let again = Sample.proposal(session: 5, at: time).slot(limit: 1, purpose)
                    #expect(try await store.grant(again).refusal == .leaseEnded)
                }
            }
            let other = Sample.proposal(device: 2, at: 1_599).slot(limit: 1)
            #expect(try await store.grant(other).refusal == .streamsExceeded)
            // Another session of the same device starts again, with its own slot.
            #expect(try await store.grant(Sample.proposal(session: 6, at: 1_300).slot(limit: 1)) == .granted)
            let lease = try await store.leases(account: nil, at: 1_300, after: nil, limit: 10).first
            #expect(lease?.sessionID == 6 && lease?.ended == nil && lease?.until == 1_900)
        },
        .init("An ended session stays ended after another session of its device, and for keys without a slot") {
            store in
            let client = Sample.client(1)
            _ = try await store.grant(Sample.proposal(session: 5).once(1).slot())
            _ = try await store.endLease(account: "anna", client: client, now: 1_010, audit: Sample.audit(1))
            let reservation = Sample.proposal(session: 6, at: 1_010).slot(.reservation)
            #expect(try await store.grant(reservation) == .granted)
            let fifth = Sample.proposal(session: 5, at: 1_020)
            for proposal in [fifth.slot(.renewal), fifth.offline(), fifth, fifth.once(1).slot()] {
                #expect(try await store.grant(proposal).refusal == .leaseEnded)
            }
            // The other session can be ended, too, and then both stay ended.
            #expect(try await store.endLease(account: "anna", client: client, now: 1_030, audit: Sample.audit(2)))
            _ = try await store.grant(Sample.proposal(session: 7, at: 1_040).slot())
            for session: UInt64 in [5, 6] {
                let renewal = Sample.proposal(session: session, at: 1_050).slot(.renewal)
                #expect(try await store.grant(renewal).refusal == .leaseEnded)
            }
            // The session was ended only for this client and account.
            #expect(try await store.grant(Sample.proposal(device: 2, session: 5, at: 1_050).slot()) == .granted)
            #expect(try await store.grant(Sample.proposal("ben", session: 5, at: 1_050).slot()) == .granted)
        },
        .init("An ended session stays refused for a day after its lease, even after the lease is pruned") { store in
            _ = try await store.grant(Sample.proposal(session: 5).slot())
            _ = try await store.endLease(account: "anna", client: Sample.client(1), now: 1_100, audit: Sample.audit(1))
            #expect(try await store.prune(at: 1_600 + 86_399) == 1)
            let again = Sample.proposal(session: 5, at: 1_600 + 86_399).slot(.renewal)
            #expect(try await store.grant(again).refusal == .leaseEnded)
            #expect(try await store.prune(at: 1_600 + 86_400) == 1)
            #expect(try await store.grant(again.with { $0.now = 1_600 + 86_400 }) == .granted)
        },
        .init("An ended session without an ID is refused until its key expires") { store in
            let first = Sample.proposal().slot().with { $0.sessionID = nil }
            _ = try await store.grant(first)
            _ = try await store.endLease(account: "anna", client: Sample.client(1), now: 1_100, audit: Sample.audit(1))
            #expect(try await store.grant(first.with { $0.now = 1_599 }).refusal == .leaseEnded)
            #expect(try await store.grant(first.with { $0.now = 1_600 }) == .granted)
        },
        .init("A renewal acquires a slot again if it was lost and one is free") { store in
            _ = try await store.grant(Sample.proposal(device: 1).slot(limit: 1))
            _ = try await store.grant(Sample.proposal(device: 2, at: 1_600).slot(limit: 1))
            let late = Sample.proposal(device: 1, at: 1_601).slot(limit: 1, .renewal)
            #expect(try await store.grant(late).refusal == .streamsExceeded)
            let later = Sample.proposal(device: 1, at: 2_200).slot(limit: 1, .renewal)
            #expect(try await store.grant(later) == .granted)
        },
        .init("A session retains its slot if others got theirs under a higher limit, a new session does not") {
            store in
            _ = try await store.grant(Sample.proposal(device: 1, session: 5).slot(limit: 1))
            #expect(try await store.grant(Sample.proposal(device: 2).slot(limit: 2)) == .granted)
            let renewal = Sample.proposal(device: 1, session: 5, at: 1_100).slot(limit: 1, .renewal)
            #expect(try await store.grant(renewal) == .granted)
            let another = Sample.proposal(device: 1, session: 6, at: 1_100).slot(limit: 1)
            #expect(try await store.grant(another).refusal == .streamsExceeded)
        },
        .init("Without a limit everything is counted and nothing refused; with a limit of zero everything is refused") {
            store in
            for device in 1...20 {
                let free = Sample.proposal(device: device).slot(limit: nil).counted(limit: nil)
                #expect(try await store.grant(free) == .granted)
            }
            let count = try await store.leaseCount(at: 1_000)
            #expect(count == 20)
            #expect(try await store.leaseCount(at: 1_600) == 0)
            #expect(try await store.devices(account: "anna").count == 20)
            #expect(try await store.grant(Sample.proposal("ben").slot(limit: 0)).refusal == .streamsExceeded)
            #expect(try await store.grant(Sample.proposal("ben").counted(limit: 0)).refusal == .devicesExceeded)
        },
        .init("Of 200 requests for three slots exactly three are granted") { store in
            let found = try await concurrently(200) { device in
                try await store.grant(Sample.proposal(device: device).slot(limit: 3))
            }
            #expect(found.count(of: .granted) == 3)
            #expect(found.map(\.refusal).count(of: .streamsExceeded) == 197)
            #expect(try await store.leaseCount(at: 1_000) == 3)
            let written = try await outcomes(store, 1_000)
            #expect(written.count(of: "issued") == 3)
            #expect(written.count == 200)
        },
        .init("Leases are listed by account and client, page by page") { store in
            for account in ["ben", "anna", "älg"] {
                for device in [3, 1, 2] {
                    _ = try await store.grant(Sample.proposal(account, device: device).slot(limit: nil))
                }
                let session = Sample.proposal(account).behindAdapter(.max).slot(limit: nil)
                _ = try await store.grant(session)
            }
            var found: [LeaseRecord] = []
            while true {
                let page = try await store.leases(account: nil, at: 1_000, after: found.last, limit: 5)
                if page.isEmpty { break }
                found += page
            }
            let clients = [Sample.client(1), Sample.client(2), Sample.client(3), .session(.max)]
            let accounts = ["anna", "ben", "älg"].flatMap { Array(repeating: $0, count: 4) }
            #expect(found.map(\.account) == accounts)
            #expect(found.map(\.client) == clients + clients + clients)
            let bens = try await store.leases(account: "ben", at: 1_000, after: found[5], limit: 10)
            #expect(bens.map(\.client) == [Sample.client(3), .session(.max)])
            #expect(try await store.leases(account: nil, at: 1_600, after: nil, limit: 5).isEmpty)
        },
    ]
}
