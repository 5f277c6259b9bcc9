import FPSCrypto
import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

/// Grants over a real port: the terms of the key on the device, and the records in the store.
@Suite("Granted terms", .timeLimit(.minutes(10)))
struct GrantedTermsTests {
    private func key(
        _ server: LicenseServer,
        _ device: FPSDevice,
        _ request: KeyRequest,
        query: String = "",
        token: String? = nil
    ) async throws -> DeviceKey {
        let answer = try await server.license(request.spc, query: query, token: token)
        try #require(answer.status == 200, "\(answer.text)")
        return try device.process(ckc: answer.body, for: request)
    }

    @Test("A rental starts with its first license, and later CKCs contain the remaining seconds")
    func rental() async throws {
        try await LicenseServer.run { server in
            try await server.setPolicy(#"{"rental":"PT1H","rentalStart":"firstLicense"}"#)
            _ = try await server.license(try server.request(server.device()).spc)
            server.clock.advance(by: 3_000)
            let device = server.device()
            let early = try await key(server, device, server.request(device))
            let late = try await key(server, device, server.request(device))
            server.clock.advance(by: 599)
            #expect(early.status == .ready)
            server.clock.advance(by: 2)
            #expect(late.status == .expired)
            let record = try #require(try await server.store.rentals(account: "viewer").first)
            #expect(record.start == 1_800_000_000)
            #expect(record.end == 1_800_003_600)
        }
    }

    @Test("The token's time starts a rental, and no key lasts longer than the token's notAfter")
    func tokenTimes() async throws {
        let authorizer = AccountAuthorizer { authorization in
            authorization.rentalStart = 1_799_999_000
            authorization.notAfter = 1_800_000_100
        }
        try await LicenseServer.run(authorizer: authorizer) { server in
            try await server.setPolicy(#"{"rental":"PT1H","rentalStart":"token","lease":"PT10M"}"#)
            let device = server.device()
            let key = try await key(server, device, server.request(device))
            #expect(key.leaseEnd == 1_800_000_100)
            server.clock.advance(by: 101)
            #expect(key.status == .expired)
            #expect(try await server.license(try server.request(device).spc).status == 403)
        }
    }

    @Test("Playback of a rental ends at the token's notAfter, which is not a lease: it occupies no slot")
    func notAfterWithoutLease() async throws {
        let authorizer = AccountAuthorizer { $0.notAfter = 1_800_000_060 }
        try await LicenseServer.run(authorizer: authorizer) { server in
            for policy in [#"{"rental":"P2D"}"#, "{}"] {
                try await server.setPolicy(policy)
                let device = server.device()
                let key = try await key(server, device, server.request(device))
                try key.startPlaying()
                #expect(key.leaseEnd == 1_800_000_060)
                #expect(try await server.store.leaseCount(at: server.clock.now) == 0)
            }
            try await server.setPolicy(#"{"lease":"PT10M","streams":1}"#)
            let device = server.device()
            _ = try await key(server, device, server.request(device))
            #expect(try await server.store.leaseCount(at: server.clock.now) == 1)
        }
    }

    @Test("All keys of a session share a slot, and a new session of the same device takes it over")
    func slots() async throws {
        try await LicenseServer.run { server in
            try await server.setPolicy(#"{"lease":"PT10M","streams":1}"#)
            let device = server.device()
            let session = device.beginSession()
            for state in [FPSDevice.PlaybackState.readyToStart, .playing, .leaseAboutToExpire] {
                _ = try await key(server, device, server.request(device, session: session, state: state))
            }
            // The session is closed and opened again.
            _ = try await key(server, device, server.request(device))
            let leases = try await server.store.leases(
                account: "viewer",
                at: server.clock.now,
                after: nil,
                limit: 10
            )
            #expect(leases.count == 1)
            #expect(leases.first?.until == 1_800_000_630)
            // Another account has its own slots; another device of this account has none until the key expires.
            let stranger = server.device()
            _ = try await key(server, stranger, server.request(stranger), token: "another account")
            #expect(try await server.license(try server.request(server.device()).spc).status == 403)
            server.clock.advance(by: 631)
            #expect(try await server.license(try server.request(server.device()).spc).status == 200)
        }
    }

    @Test("With the AV adapter the session is counted, never the adapter's ID")
    func adapter() async throws {
        try await LicenseServer.run { server in
            try await server.setPolicy(#"{"lease":"PT10M","streams":2,"devices":1,"adapter":"allow"}"#)
            let device = server.device()
            let first = device.beginSession()
            for _ in 0..<2 {
                let request = try server.request(device, session: first, output: .digitalAVAdapter)
                #expect(try await server.license(request.spc).status == 200)
            }
            let second = try server.request(device, output: .digitalAVAdapter)
            #expect(try await server.license(second.spc).status == 200)
            let third = try server.request(device, output: .digitalAVAdapter)
            #expect(try await server.license(third.spc).json["reason"] == .string("streams-exceeded"))
            #expect(try await server.store.devices(account: "viewer").isEmpty)
        }
    }

    @Test("A preloaded key occupies a short reservation, and has a lease of the same length")
    func preload() async throws {
        try await LicenseServer.run { server in
            try await server.setPolicy(#"{"lease":"PT1H","streams":1}"#)
            let device = server.device()
            let session = device.beginSession()
            let ahead = try await key(server, device, server.request(device, session: session), query: "?preload=true")
            #expect(ahead.leaseEnd == 1_800_000_120)
            let other = server.device()
            #expect(try await server.license(try server.request(other).spc).status == 403)
            server.clock.advance(by: 151)
            #expect(try await server.license(try server.request(other).spc).status == 200)
            let renewal = try server.request(device, session: session, state: .leaseAboutToExpire)
            #expect(try await server.license(renewal.spc).json["reason"] == .string("streams-exceeded"))
        }
    }

    @Test(
        "The strictest of the policies of content and token applies, and a token loosens it only with its issuer's permission"
    )
    func merged() async throws {
        for (allowPolicyOverride, end) in [(false, Int64(1_800_000_060)), (true, 1_800_003_600)] {
            let authorizer = AccountAuthorizer { authorization in
                authorization.policyName = "token"
                authorization.allowPolicyOverride = allowPolicyOverride
            }
            try await LicenseServer.run(authorizer: authorizer) { server in
                try await server.setPolicy(#"{"lease":"PT1M"}"#)
                let token = try ContentDefaults.policy(name: "token", json: Array(#"{"lease":"PT1H"}"#.utf8))
                try await server.store.putPolicy(token, replacing: false)
                let device = server.device()
                let key = try await key(server, device, server.request(device))
                #expect(key.leaseEnd == end)
            }
        }
    }

    @Test(
        "A persistent key is recorded, a report contains its first play, and invalidation needs the server's challenge"
    )
    func offline() async throws {
        try await LicenseServer.run { server in
            try await server.setPolicy(#"{"persist":{"storage":"P30D","playback":"P2D"},"devices":1}"#)
            let device = server.device()
            let request = try server.request(device)
            let answer = try await server.license(request.spc, query: "?persist=true")
            var kept = try device.makePersistentKey(ckc: answer.body, for: request)
            func record() async throws -> OfflineLicenseRecord {
                try #require(try await server.store.offlineLicenses(account: "viewer").first)
            }
            #expect(try await record().until == 1_802_764_800)

            server.clock.advance(by: 86_400)
            let playing = try device.loadPersistentKey(kept)
            try playing.startPlaying()
            kept = try #require(playing.updatedPersistentKey)
            server.clock.advance(by: 600)
            let report = try device.makeSyncSPC(for: kept, certificate: server.certificate.der)
            #expect(try await server.license(report).status == 200)
            let seen = try await record()
            #expect(seen.until == 1_800_259_200)
            #expect(seen.firstPlaySeen == server.clock.now)

            let challenge = try await server.challenge()
            let gone = try device.invalidate(.stream(kept), certificate: server.certificate.der, challenge: challenge)
            #expect(try await server.license(gone).status == 200)
            #expect(try await record().end == .invalidated)
            // The challenge was valid for one report.
            #expect(try await server.license(gone).json["reason"] == .string("challenge-unknown"))
            #expect(
                try await server.auditOutcomes() == [
                    "issued-persistable", "sync-report", "sync-invalidation", "challenge-unknown",
                ]
            )
        }
    }

    @Test("A key that had expired when it was invalidated is not issued again if the policy forbids it")
    func expiredInvalidation() async throws {
        try await LicenseServer.run { server in
            try await server.setPolicy(#"{"persist":{"storage":"P30D","playback":"P2D"},"renewAfterExpiry":false}"#)
            let device = server.device()
            var kept = try await server.keep(device)
            let playing = try device.loadPersistentKey(kept)
            try playing.startPlaying()
            kept = try #require(playing.updatedPersistentKey)
            // The server has no report of the first play, so the key lasts for a month.
            server.clock.advance(by: 2 * 86_400)
            let gone = try device.invalidate(
                .stream(kept),
                certificate: server.certificate.der,
                challenge: try await server.challenge()
            )
            #expect(try await server.license(gone).status == 200)
            #expect(try await server.store.offlineLicenses(account: "viewer").first?.end == .expired)
            let again = try await server.license(try server.request(device).spc, query: "?persist=true")
            #expect(again.json["reason"] == .string("renewal-after-expiry"))

            // The key does not exist any more, so it is not found, which ends nothing.
            let missing = try device.invalidate(
                .stream(kept),
                certificate: server.certificate.der,
                challenge: try await server.challenge()
            )
            #expect(try await server.license(missing).status == 200)
            #expect(
                try await server.auditOutcomes() == [
                    "issued-persistable", "sync-invalidation", "renewal-after-expiry", "sync-not-found",
                ]
            )
        }
    }

    @Test("An invalidation without an outcome is a report without a remaining time")
    func invalidationWithoutOutcome() async throws {
        try await LicenseServer.run { server in
            try await server.setPolicy(#"{"persist":{"storage":"P30D","playback":"P2D"}}"#)
            let device = server.device()
            let kept = try await server.keep(device)
            let before = try #require(try await server.store.offlineLicenses(account: "viewer").first)
            let nothing = SPCMutation { draft in
                // Only bit 1 of the flags (Table 6-4), which are bytes 16 to 23 of the value.
                let flags: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 2]
                draft[.sync]?.value.replaceSubrange(16..<24, with: flags)
            }
            let sync = try device.invalidate(
                .stream(kept),
                certificate: server.certificate.der,
                challenge: 0,
                mutations: [nothing]
            )
            #expect(try await server.license(sync).status == 200)
            let after = try #require(try await server.store.offlineLicenses(account: "viewer").first)
            #expect(after.end == nil && after.until == before.until && after.reported == server.clock.now)
            #expect(try await server.auditOutcomes().last == "sync-report")
        }
    }

    @Test("A retry gets the same CKC and makes no further claims, also concurrently")
    func retries() async throws {
        try await LicenseServer.run { server in
            try await server.setPolicy(#"{"lease":"PT10M","streams":1,"devices":1}"#)
            let spc = try server.request(server.device()).spc
            let answers = try await withThrowingTaskGroup(of: ReceivedResponse.self) { group in
                for _ in 0..<8 { group.addTask { try await server.license(spc) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let (statuses, bodies) = (Set(answers.map(\.status)), Set(answers.map(\.body)))
            #expect(statuses == [200])
            #expect(bodies.count == 1)
            #expect(try await server.auditOutcomes().sorted() == ["issued"] + Array(repeating: "retried", count: 7))
        }
    }

    @Test("Without authorization, a device's persistent key can be invalidated too, with its own challenge")
    func anonymousInvalidation() async throws {
        try await LicenseServer.run(authorizer: OpenAuthorizer()) { server in
            try await server.setPolicy(#"{"persist":{"storage":"P30D","playback":"P2D"}}"#)
            let device = server.device()
            let request = try server.request(device)
            let answer = try await server.license(request.spc, query: "?persist=true")
            let kept = try device.makePersistentKey(ckc: answer.body, for: request)
            let gone = try device.invalidate(
                .stream(kept),
                certificate: server.certificate.der,
                challenge: try await server.challenge()
            )
            #expect(try await server.license(gone).status == 200)
            #expect(try await server.license(gone).json["reason"] == .string("challenge-unknown"))
            let account = try #require(try await server.store.auditEntries(before: nil, limit: 1).first?.record.account)
            #expect(try await server.store.offlineLicenses(account: account).first?.end == .invalidated)
        }
    }

    @Test("Challenges and reports are charged to the account separately from its licenses")
    func cheapRequestsAreLimited() async throws {
        var limits = RateLimits()
        limits.other.account = RateLimit(perMinute: 1, burst: 2)
        try await LicenseServer.run(rates: limits) { server in
            try await server.setPolicy(#"{"persist":{"storage":"P30D","playback":"P2D"}}"#)
            let device = server.device()
            let request = try server.request(device)
            let answer = try await server.license(request.spc, query: "?persist=true")
            let kept = try device.makePersistentKey(ckc: answer.body, for: request)
            let report = try device.makeSyncSPC(for: kept, certificate: server.certificate.der)
            _ = try await server.challenge()
            #expect(try await server.license(report).status == 200)
            #expect(try await server.send("POST", "/fps/challenge").status == 429)
            #expect(try await server.license(report).status == 429)
            #expect(try await server.send("POST", "/fps/challenge", token: "another").status == 200)
            #expect(try await server.license(try server.request(device).spc).status == 200)
        }
    }

    @Test("A changed policy or key applies to the next license, cached or not")
    func changes() async throws {
        try await LicenseServer.run { server in
            let device = server.device()
            func reason() async throws -> JSONValue? {
                let answer = try await server.license(try server.request(device).spc)
                return answer.status == 200 ? nil : answer.json["reason"] ?? answer.json["type"]
            }
            for _ in 0..<2 {
                try await server.setPolicy(#"{"lease":"PT10M"}"#)
                for _ in 0..<3 { #expect(try await reason() == nil) }
                try await server.setPolicy(#"{"networks":["192.0.2.0/24"]}"#)
                for _ in 0..<2 { #expect(try await reason() == .string("network-denied")) }
            }
            try await server.setPolicy("{}")
            #expect(try await reason() == nil)
            _ = try await server.store.deleteContent(assetID: LicenseServer.asset)
            #expect(try await reason() == .string("urn:keyway:problem:unknown-asset"))
        }
    }
}
