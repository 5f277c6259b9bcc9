import FPSCrypto
import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

/// Every kind of refusal, over a real port: its status, its problem type and its audit record.
@Suite("Refusals, end to end", .timeLimit(.minutes(10)))
struct RefusalTableTests {
    /// A kind of refusal.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// The policy of the asset.
        var policy = "{}"
        /// The permissions of the token.
        var authorization: @Sendable (inout PlaybackAuthorization) -> Void = { _ in }
        /// Sends requests until the refusal.
        let ask: @Sendable (LicenseServer) async throws -> ReceivedResponse
        let status: Int
        let type: String
        var reason: String?
        /// The outcome in the audit log; nil for refusals that are counted but not recorded.
        let audit: String?
        var rates: RateLimits?

        var testDescription: String { name }
    }

    @Test("have their status, problem type, reason and audit record", arguments: rows)
    func refusal(_ row: Row) async throws {
        try await LicenseServer.run(
            authorizer: AccountAuthorizer(change: row.authorization),
            rates: row.rates
        ) { server in
            try await server.setPolicy(row.policy)
            let answer = try await row.ask(server)
            #expect(answer.status == row.status)
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(answer.headers["cache-control"] == "no-store")
            let (type, reason) = (answer.json["type"], answer.json["reason"])
            #expect(type == .string("urn:keyway:problem:\(row.type)"))
            #expect(reason == row.reason.map { .string($0) })
            let entries = try await server.store.auditEntries(before: nil, limit: 100)
            let own = entries.filter { entry in
                answer.json["instance"] == entry.record.requestID.map { .string($0) }
            }
            #expect(own.map(\.record.outcome) == (row.audit.map { [$0] } ?? []))
            if row.audit != nil { #expect(own.first?.number == entries.first?.number) }
        }
    }

    private static func policy(
        _ name: String,
        _ policy: String,
        reason: String,
        query: String = "",
        profile: DeviceProfile = .iPhone,
        authorization: @escaping @Sendable (inout PlaybackAuthorization) -> Void = { _ in }
    ) -> Row {
        Row(
            name: name,
            policy: policy,
            authorization: authorization,
            ask: { server in try await server.license(try server.request(server.device(profile)).spc, query: query) },
            status: 403,
            type: "refused-by-policy",
            reason: reason,
            audit: reason
        )
    }

    static let rows: [Row] = claims + limits + kept

    private static let claims: [Row] = [
        Row(
            name: "an asset that the token does not permit",
            authorization: { $0.assets = ["another"] },
            ask: { server in try await server.license(try server.request(server.device()).spc) },
            status: 403,
            type: "token-asset",
            reason: "assets",
            audit: "token-asset"
        ),
        Row(
            name: "a title that the token does not permit",
            authorization: { $0.title = "another" },
            ask: { server in try await server.license(try server.request(server.device()).spc) },
            status: 403,
            type: "token-asset",
            reason: "title",
            audit: "token-asset"
        ),
        Row(
            name: "a device that the token does not permit",
            authorization: { $0.device = [UInt8](repeating: 1, count: 16) },
            ask: { server in try await server.license(try server.request(server.device()).spc) },
            status: 403,
            type: "token-device",
            audit: "token-device"
        ),
        Row(
            name: "a single-use token, used by another device",
            authorization: {
                $0.binding = TokenBindingClaim(token: [UInt8](repeating: 7, count: 32), expires: $0.expires)
            },
            ask: { server in
                let first = try await server.license(try server.request(server.device()).spc)
                #expect(first.status == 200)
                return try await server.license(try server.request(server.device()).spc)
            },
            status: 403,
            type: "token-already-bound",
            reason: "token-already-bound",
            audit: "token-already-bound"
        ),
        policy("a token whose notAfter has passed", "{}", reason: "not-after", authorization: { $0.notAfter = 5 }),
        policy(
            "a token that names a missing policy",
            "{}",
            reason: "policy-invalid",
            authorization: { $0.policyName = "nothing" }
        ),
        policy(
            "an address outside of the policy's networks",
            #"{"networks":["192.0.2.0/24"]}"#,
            reason: "network-denied"
        ),
        policy("a page of another origin", #"{"origins":["https://player.example"]}"#, reason: "origin-denied"),
        policy("a rental whose token has no start", rental(.token), reason: "rental-start-missing"),
        policy(
            "a rental that had expired when the token was created",
            rental(.token),
            reason: "rental-expired",
            authorization: { $0.rentalStart = 1_000_000 }
        ),
    ]

    private static let dual = #"{"persist":{"storage":"P30D","playback":"P2D"}}"#

    /// Makes a Sync block report the number of invalidated keys (Table 6-3).
    private static func listing(streams count: Int) -> SPCMutation {
        SPCMutation { draft in
            let head = draft[.sync]?.value.prefix(44) ?? []
            let number = withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0) }
            let streams = [UInt8](repeating: 7, count: 16 * count)
            draft[.sync] = SPCDraft.Block(.sync, value: head + number + streams, padding: [])
        }
    }

    private enum Start: String { case token, firstLicense }

    private static func rental(_ start: Start) -> String { #"{"rental":"PT1H","rentalStart":"\#(start.rawValue)"}"# }

    private static let limits: [Row] = [
        Row(
            name: "overload",
            ask: { server in
                let (spc, gate) = (try server.request(server.device()).spc, Gate())
                // Two threads, and 64 waiting requests.
                let held = try await gate.occupy(server.pool, jobs: 66)
                let answer = try await server.license(spc)
                gate.open()
                for task in held { _ = try await task.value }
                return answer
            },
            status: 503,
            type: "overloaded",
            audit: nil
        ),
        Row(
            name: "more licenses than the account's rate limit",
            ask: { server in
                let first = try await server.license(try server.request(server.device()).spc)
                #expect(first.status == 200)
                return try await server.license(try server.request(server.device()).spc)
            },
            status: 429,
            type: "rate-limited",
            reason: "account",
            audit: "rate-limited",
            rates: {
                var limits = RateLimits()
                limits.license.account = RateLimit(perMinute: 1, burst: 1)
                return limits
            }()
        ),
        Row(
            name: "a key that is not valid yet",
            ask: { server in
                let record = try server.record(asset: LicenseServer.asset, validFrom: server.clock.now + 1)
                try await server.store.putContent(record, replacing: true)
                return try await server.license(try server.request(server.device()).spc)
            },
            status: 403,
            type: "refused-by-policy",
            reason: "key-not-valid",
            audit: "key-not-valid"
        ),
        Row(
            name: "a repeated request, in the last second of its window",
            policy: #"{"maximumSPCAge":"PT10M"}"#,
            ask: { server in
                let spc = try server.request(server.device()).spc
                let first = try await server.license(spc)
                #expect(first.status == 200)
                server.clock.advance(by: 600)
                try await server.store.prune(at: server.clock.now)
                return try await server.license(spc)
            },
            status: 409,
            type: "replayed",
            reason: "replayed",
            audit: "replayed"
        ),
        Row(
            name: "a repeated request, too late for a retry",
            ask: { server in
                let spc = try server.request(server.device()).spc
                let first = try await server.license(spc)
                let retry = try await server.license(spc)
                #expect(first.status == 200)
                #expect(retry.body == first.body)
                server.clock.advance(by: 120)
                return try await server.license(spc)
            },
            status: 409,
            type: "replayed",
            reason: "replayed",
            audit: "replayed"
        ),
        Row(
            name: "more streams than allowed",
            policy: #"{"lease":"PT10M","streams":2}"#,
            ask: { server in
                for _ in 0..<2 {
                    let answer = try await server.license(try server.request(server.device()).spc)
                    #expect(answer.status == 200)
                }
                return try await server.license(try server.request(server.device()).spc)
            },
            status: 403,
            type: "streams-exceeded",
            reason: "streams-exceeded",
            audit: "streams-exceeded"
        ),
        Row(
            name: "more devices than allowed",
            policy: #"{"devices":1}"#,
            ask: { server in
                let answer = try await server.license(try server.request(server.device()).spc)
                #expect(answer.status == 200)
                return try await server.license(try server.request(server.device()).spc)
            },
            status: 403,
            type: "devices-exceeded",
            reason: "devices-exceeded",
            audit: "devices-exceeded"
        ),
        Row(
            name: "a session that an admin ended",
            policy: #"{"lease":"PT10M","streams":2}"#,
            ask: { server in
                let device = server.device()
                let session = device.beginSession()
                let first = try await server.license(try server.request(device, session: session).spc)
                #expect(first.status == 200)
                let leases = try await server.store.leases(
                    account: "viewer",
                    at: server.clock.now,
                    after: nil,
                    limit: 10
                )
                let lease = try #require(leases.first)
                try await server.store.endLease(
                    account: "viewer",
                    client: lease.client,
                    now: server.clock.now,
                    audit: AuditRecord(milliseconds: 0, route: "/admin", outcome: "admin-lease-ended", microseconds: 0)
                )
                let renewal = try server.request(device, session: session, state: .leaseAboutToExpire)
                return try await server.license(renewal.spc)
            },
            status: 403,
            type: "refused-by-policy",
            reason: "lease-ended",
            audit: "lease-ended"
        ),
        Row(
            name: "an expired rental",
            policy: rental(.firstLicense),
            ask: { server in
                let device = server.device()
                let first = try await server.license(try server.request(device).spc)
                #expect(first.status == 200)
                server.clock.advance(by: 3_601)
                return try await server.license(try server.request(device).spc)
            },
            status: 403,
            type: "refused-by-policy",
            reason: "rental-expired",
            audit: "rental-expired"
        ),
        Row(
            name: "a rental for one device, with an adapter",
            policy: #"{"rental":"PT1H","bindRentalToDevice":true}"#,
            ask: { server in
                try await server.license(try server.request(server.device(), output: .digitalAVAdapter).spc)
            },
            status: 403,
            type: "refused-by-policy",
            reason: "rental-needs-device",
            audit: "rental-needs-device"
        ),
        Row(
            name: "a rental on another device than its first",
            policy: #"{"rental":"PT1H","rentalStart":"firstLicense","bindRentalToDevice":true}"#,
            ask: { server in
                let first = try await server.license(try server.request(server.device()).spc)
                #expect(first.status == 200)
                return try await server.license(try server.request(server.device()).spc)
            },
            status: 403,
            type: "refused-by-policy",
            reason: "rental-on-other-device",
            audit: "rental-on-other-device"
        ),
    ]

    private static let kept: [Row] = [
        Row(
            name: "a report without a device",
            policy: #"{"persist":{"storage":"P30D","playback":"P2D"},"adapter":"allow"}"#,
            ask: { server in
                let device = server.device()
                let request = try server.request(device)
                let answer = try await server.license(request.spc, query: "?persist=true")
                let key = try device.makePersistentKey(ckc: answer.body, for: request)
                let adapter = withUnsafeBytes(of: DeviceProfile.Output.digitalAVAdapter.rawValue.bigEndian) {
                    Array($0)
                }
                let sync = try device.makeSyncSPC(
                    for: key,
                    certificate: server.certificate.der,
                    mutations: [.value(.streamingIndicator, adapter)]
                )
                return try await server.license(sync)
            },
            status: 403,
            type: "refused-by-policy",
            reason: "no-device",
            audit: "no-device"
        ),
        Row(
            name: "an invalidation by a device without the capability",
            policy: #"{"persist":{"storage":"P30D","playback":"P2D"}}"#,
            ask: { server in
                let device = server.device()
                let request = try server.request(device)
                let answer = try await server.license(request.spc, query: "?persist=true")
                let key = try device.makePersistentKey(ckc: answer.body, for: request)
                let sync = try device.invalidate(
                    .stream(key),
                    certificate: server.certificate.der,
                    challenge: try await server.challenge(),
                    mutations: [.omitting(.capabilities)]
                )
                return try await server.license(sync)
            },
            status: 403,
            type: "refused-by-policy",
            reason: "invalidation-unsupported",
            audit: "invalidation-unsupported"
        ),
        Row(
            name: "a persistent key for a session that an admin ended",
            policy: #"{"lease":"PT10M","persist":{"validity":"PT1H"}}"#,
            ask: { server in
                let device = server.device()
                let session = device.beginSession()
                _ = try await server.license(try server.request(device, session: session).spc)
                let now = server.clock.now
                let leases = try await server.store.leases(account: "viewer", at: now, after: nil, limit: 10)
                try await server.store.endLease(
                    account: "viewer",
                    client: try #require(leases.first).client,
                    now: now,
                    audit: AuditRecord(milliseconds: 0, route: "/admin", outcome: "admin-lease-ended", microseconds: 0)
                )
                return try await server.license(
                    try server.request(device, session: session).spc,
                    query: "?persist=true"
                )
            },
            status: 403,
            type: "refused-by-policy",
            reason: "lease-ended",
            audit: "lease-ended"
        ),
        Row(
            name: "a Sync SPC that is too old",
            policy: dual,
            ask: { server in
                let device = server.device()
                let key = try await server.keep(device)
                let sync = try device.makeSyncSPC(for: key, certificate: server.certificate.der)
                server.clock.advance(by: 6 * 3_600 + 1)
                return try await server.license(sync)
            },
            status: 403,
            type: "refused-by-policy",
            reason: "spc-too-old",
            audit: "spc-too-old"
        ),
        Row(
            name: "an invalidation of more keys than a store accepts at once",
            policy: dual,
            ask: { server in
                let device = server.device()
                let key = try await server.keep(device)
                let sync = try device.invalidate(
                    .stream(key),
                    certificate: server.certificate.der,
                    challenge: try await server.challenge(),
                    mutations: [listing(streams: 1_001)]
                )
                return try await server.license(sync)
            },
            status: 403,
            type: "refused-by-policy",
            reason: "too-many-stream-ids",
            audit: "too-many-stream-ids"
        ),
        Row(
            name: "a persistent key again, after its expiry",
            policy: #"{"persist":{"validity":"PT1H"},"renewAfterExpiry":false}"#,
            ask: { server in
                let device = server.device()
                let first = try await server.license(try server.request(device).spc, query: "?persist=true")
                #expect(first.headers["keyway-persistable"] == "true")
                server.clock.advance(by: 3_601)
                return try await server.license(try server.request(device).spc, query: "?persist=true")
            },
            status: 403,
            type: "refused-by-policy",
            reason: "renewal-after-expiry",
            audit: "renewal-after-expiry"
        ),
        Row(
            name: "a persistent key that an admin revoked",
            policy: #"{"persist":{"validity":"PT1H"}}"#,
            ask: { server in
                let device = server.device()
                _ = try await server.license(try server.request(device).spc, query: "?persist=true")
                let kept = try #require(try await server.store.offlineLicenses(account: "viewer").first)
                try await server.store.revokeOfflineLicense(
                    account: "viewer",
                    device: kept.device,
                    streamID: kept.streamID,
                    now: server.clock.now,
                    audit: AuditRecord(milliseconds: 0, route: "/admin", outcome: "admin-revoked", microseconds: 0)
                )
                return try await server.license(try server.request(device).spc, query: "?persist=true")
            },
            status: 403,
            type: "refused-by-policy",
            reason: "license-revoked",
            audit: "license-revoked"
        ),
        Row(
            name: "an invalidation with an unknown challenge",
            policy: #"{"persist":{"storage":"P30D","playback":"P2D"}}"#,
            ask: { server in
                let device = server.device()
                let request = try server.request(device)
                let answer = try await server.license(request.spc, query: "?persist=true")
                let key = try device.makePersistentKey(ckc: answer.body, for: request)
                let sync = try device.invalidate(.stream(key), certificate: server.certificate.der, challenge: 42)
                return try await server.license(sync)
            },
            status: 403,
            type: "refused-by-policy",
            reason: "challenge-unknown",
            audit: "challenge-unknown"
        ),
    ]
}
