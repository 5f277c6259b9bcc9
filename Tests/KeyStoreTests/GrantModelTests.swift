import KeyStore
import KeyStoreTestSupport
import Testing

@Suite("Granting, compared with a model")
struct GrantModelTests {
    /// A simple model: who has a key until when.
    private struct Model {
        var until: [PlaybackClient: Int64] = [:]
        var session: [PlaybackClient: UInt64] = [:]
        var endedLeases: Set<PlaybackClient> = []
        var endedSessions: [PlaybackClient: Set<UInt64>] = [:]
        var devices: Set<PlaybackClient> = []

        func playing(at time: Int64) -> Int { until.values.count { $0 > time } }
    }

    @Test("No account ever exceeds its limits, and no request is refused unnecessarily", arguments: 0..<20)
    func neverOverLimits(_ seed: UInt64) async throws {
        var random = Seeded(seed)
        let store = InMemoryKeyStore()
        var models = ["anna": Model(), "ben": Model()]
        let limits = (streams: Int.random(in: 1...3, using: &random), devices: Int.random(in: 2...5, using: &random))
        var now: Int64 = 1_000
        for _ in 0..<600 {
            now += Int64.random(in: 0...20, using: &random)
            let account = Bool.random(using: &random) ? "anna" : "ben"
            var model = try #require(models[account])
            let device = Int.random(in: 1...6, using: &random)
            let session = UInt64.random(in: 1...8, using: &random)
            let client: PlaybackClient = device == 6 ? .session(session) : Sample.client(device)
            if Int.random(in: 0..<16, using: &random) == 0 {
                let isActive = model.until[client] ?? 0 > now && !model.endedLeases.contains(client)
                let audit = Sample.audit(now)
                #expect(try await store.endLease(account: account, client: client, now: now, audit: audit) == isActive)
                if isActive {
                    model.endedLeases.insert(client)
                    model.endedSessions[client, default: []].insert(try #require(model.session[client]))
                }
            } else {
                let purpose = try #require(SlotClaim.Purpose.allCases.randomElement(using: &random))
                let length = Int64.random(in: 1...120, using: &random)
                let proposal = Sample.proposal(account, device: device, session: session, at: now).at(client)
                    .counted(limit: limits.devices).slot(limit: limits.streams, for: length, purpose)
                let holds = model.until[client] ?? 0 > now
                let expected: GrantRefusal.Code? =
                    if model.endedSessions[client]?.contains(session) ?? false {
                        .leaseEnded
                    } else if client.device != nil, !model.devices.contains(client),
                        model.devices.count >= limits.devices
                    {
                        .devicesExceeded
                    } else if !holds, model.playing(at: now) >= limits.streams {
                        .streamsExceeded
                    } else {
                        nil
                    }
                #expect(try await store.grant(proposal).refusal == expected)
                if expected == nil {
                    if client.device != nil { model.devices.insert(client) }
                    model.until[client] = max(model.until[client] ?? 0, now + length)
                    let stays = holds && purpose == .reservation && !model.endedLeases.contains(client)
                    if !stays { model.session[client] = session }
                    model.endedLeases.remove(client)
                }
            }
            models[account] = model
            let leases = try await store.leases(account: account, at: now, after: nil, limit: 100)
            #expect(leases.count <= limits.streams)
            #expect(leases.count == model.playing(at: now))
            #expect(try await store.devices(account: account).count <= limits.devices)
            if Int.random(in: 0..<50, using: &random) == 0 { try await store.prune(at: now) }
        }
        #expect(try await store.verifyAudit().isIntact)
    }
}
