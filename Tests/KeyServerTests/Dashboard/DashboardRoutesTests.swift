import FPSCrypto
import KeyServerModule
import KeyStore
import KeyStoreTestSupport
import Logging
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("The dashboard's routes", .timeLimit(.minutes(10)))
struct DashboardRoutesTests {
    private func object(_ value: JSONValue?) -> JSONObject {
        if case .object(let fields)? = value { fields } else { [:] }
    }

    private func items(_ value: JSONValue?) -> [JSONObject] {
        if case .array(let values)? = value { values.map { object($0) } } else { [] }
    }

    @Test("Results of requests are shown immediately: device, policy and reason, without secrets")
    func activity() async throws {
        try await LicenseServer.run { server in
            try await server.setPolicy(#"{"airplay": "deny"}"#)
            let device = server.device()
            #expect(try await server.license(server.request(device).spc, token: "alice").status == 200)
            let refused = try await server.license(server.request(device, output: .airPlay).spc, token: "bob")
            #expect(refused.status == 403)
            let answer = try await server.admin("GET", "/activity")
            let recent = items(answer.json["recent"])
            #expect(recent.map { $0["outcome"] } == [.string("refused"), .string("issued")])
            #expect(recent[0]["reason"] == .string("airplay-denied"))
            #expect(recent[1]["account"] == .string("alice"))
            #expect(recent[1]["class"] == .string("appleMobile"))
            #expect(recent[1]["policy"] == .string("terms"))
            #expect(recent[1]["assetId"] == .string("movie"))
            for key in ["microseconds", "osVersion"] { #expect(recent[1][key] != nil, "\(key)") }
            #expect(try await server.admin("GET", "/activity?window=2h").status == 400)
            #expect(try await server.admin("GET", "/activity?window=24h").status == 200)
        }
    }

    @Test("A policy is evaluated for recent requests, with the result for each")
    func trial() async throws {
        try await LicenseServer.run { server in
            let device = server.device()
            _ = try await server.license(server.request(device).spc, token: "alice")
            _ = try await server.license(server.request(device, output: .airPlay).spc, token: "bob")
            let before = try await server.store.auditEntries(before: nil, limit: 100).count
            let answer = try await server.admin(
                "POST",
                "/policy-trials",
                #"{"policy": {"lease": "PT5M", "airplay": "deny"}}"#
            )
            #expect(answer.status == 200)
            #expect(answer.json["issued"] == .integer(1))
            #expect(answer.json["refused"] == .integer(1))
            #expect(answer.json["changed"] == .integer(1))
            let found = items(answer.json["items"])
            #expect(found.map { $0["issued"] } == [.bool(false), .bool(true)])
            #expect(found[0]["reason"] == .string("airplay-denied"))
            #expect(found[0]["changed"] == .bool(true))
            #expect(found[1]["terms"] == .string("online, lease PT5M"))
            #expect(items(.array([found[1]["request"] ?? .null]))[0]["account"] == .string("alice"))
            let few = try await server.admin("POST", "/policy-trials", #"{"policy": {}, "limit": 1, "asset": "movie"}"#)
            #expect(items(few.json["items"]).count == 1)
            let none = try await server.admin("POST", "/policy-trials", #"{"policy": {}, "asset": "other"}"#)
            #expect(items(none.json["items"]).isEmpty)
            // Nothing was stored or granted.
            #expect(try await server.store.auditEntries(before: nil, limit: 100).count == before)
            #expect(try await server.store.policies(after: nil, limit: 10).isEmpty)
        }
    }

    @Test(
        "An invalid policy is refused with a description and the place",
        arguments: [
            (#"{"lease": 5}"#, "lease"), (#"{"leese": "PT1M"}"#, "leese"),
            (#"{"persist": {"storage": "P1D", "playback": "P1D"}, "lease": "PT1M"}"#, "persist"),
            (#"{"persist": {"validity": "1 day"}}"#, "persist.validity"),
            (#"{"osVersions": {"appleMobile": "new"}}"#, "osVersions.appleMobile"),
            (#"{"airplay": {"value": "never", "requireReport": true}}"#, "airplay.value"), ("[]", nil),
        ] as [(String, String?)]
    )
    func wrongPolicy(document: String, field: String?) async throws {
        try await LicenseServer.run { server in
            let answer = try await server.admin("POST", "/policy-trials", #"{"policy": \#(document)}"#)
            #expect(answer.status == 400)
            #expect(answer.json["reason"] == .string("policy"))
            #expect(answer.json["detail"] != nil)
            #expect(answer.json["field"] == field.map { .string($0) })
            let stored = try await server.admin("PUT", "/policies/new", document)
            #expect(stored.status == 400)
            #expect(stored.json["field"] == field.map { .string($0) })
        }
    }

    @Test("An SPC is parsed without its secrets; for a CKC the container is shown; noise is refused")
    func inspection() async throws {
        try await LicenseServer.run { server in
            let request = try server.request(server.device())
            func inspect(_ bytes: [UInt8]) async throws -> ReceivedResponse {
                try await server.admin("POST", "/inspections", #"{"message": "\#(Base64.encode(bytes))"}"#)
            }
            let spc = try await inspect(request.spc)
            #expect(spc.status == 200)
            #expect(spc.json["kind"] == .string("spc"))
            #expect(spc.json["opened"] == .bool(true))
            #expect(spc.json["bundle"] == .string("app"))
            let remark = "the device also supports version 2 of FPS"
            #expect(spc.json["remarks"] == .array([.string(remark)]))
            let parts = items(spc.json["frame"])
            let offsets = parts.compactMap { $0["offset"]?.wholeNumber }
            let sizes = parts.compactMap { $0["size"]?.wholeNumber }
            let secrets = parts.filter { $0["secret"] == .bool(true) }
            #expect(offsets == [0, 8, 24, 280, 304])
            #expect(sizes == [4, 16, 256, 20, request.spc.count - 304])
            #expect(secrets == [parts[2]])
            #expect(parts[3]["value"] == .string(Hexadecimal.encode(server.certificate.sha1)))
            #expect(parts[2]["value"] == nil)
            let blocks = items(spc.json["blocks"])
            #expect(blocks.count >= 10)
            let secret = blocks.filter { $0["secret"] == .bool(true) }
            let names = ["sk-r1", "sk-r1-integrity", "ar-seed", "r2"].map { JSONValue.string($0) }
            #expect(secret.count == names.count)
            #expect(secret.allSatisfy { $0["name"].map(names.contains) == true })
            #expect(secret.allSatisfy { $0["value"] == nil })
            #expect(blocks.first { $0["name"] == .string("asset-id") }?["value"] == .string("movie"))
            let ckc = try await server.license(request.spc)
            let frame = try await inspect(ckc.body)
            #expect(frame.json["kind"] == .string("ckc"))
            #expect(frame.json["opened"] == .bool(false))
            #expect(items(frame.json["blocks"]).isEmpty)
            // The response does not depend on the changed byte.
            var broken = request.spc
            // The header of the first block, which contains its lengths.
            broken[304] ^= 1
            var other = request.spc
            other[100] ^= 1
            let notes = [try await inspect(broken), try await inspect(other)].map { $0.json["note"] }
            #expect(notes[0] == notes[1])
            #expect(notes[0] != nil)
            #expect(try await inspect([1, 2, 3]).status == 400)
            #expect(try await server.admin("POST", "/inspections", #"{"message": "??"}"#).status == 400)
        }
    }

    @Test("Health contains the state of store and certificates, and the days until expiry")
    func health() async throws {
        try await LicenseServer.run { server in
            let answer = try await server.admin("GET", "/health")
            #expect(answer.json["ready"] == .bool(true))
            #expect(object(answer.json["store"])["available"] == .bool(true))
            #expect(answer.json["certificates"] == .array([]))
            #expect(answer.json["queue"] == .integer(0))
        }
    }

    /// Runs the routes for administration with these sources, at the initial time of ``LicenseServer``.
    private func withRoutes(
        _ sources: DashboardSources,
        _ test: @Sendable @escaping (_ url: String) async throws -> Void
    ) async throws {
        let router = Listener.makeRouter()
        Administration(
            store: InMemoryKeyStore(),
            authenticator: SingleAdminToken(LicenseServer.token),
            dashboard: sources,
            clock: { LicenseServer.time * 1_000 + 500 }
        ).add(to: router)
        try await withListener(router, Logger(label: "test") { _ in LogRecorder() }) { port, _ in
            try await test("http://127.0.0.1:\(port)/admin")
        }
    }

    private static let authorization = ["Authorization": "Bearer \(LicenseServer.token)"]

    @Test("Activity contains the counts and latencies of each second, by outcome and by client")
    func counts() async throws {
        let sources = DashboardSources()
        let phone = ActivityEvent.Client(kind: "appleMobile", system: 18, level: "main")
        for number in 0..<200 {
            // The last five requests of 200 are slow, and four of these are refused.
            let isSlow = number >= 195
            sources.activity.note(
                ActivityEvent(
                    milliseconds: (LicenseServer.time - 1) * 1_000,
                    route: "/fps/license",
                    outcome: number >= 196 ? .refused : .issued,
                    reason: number >= 196 ? "airplay-denied" : nil,
                    microseconds: isSlow ? 100_000 : 1_000,
                    client: phone
                )
            )
        }
        try await withRoutes(sources) { url in
            let activity = try await ReceivedResponse.of("GET", url + "/activity", Self.authorization, nil).json
            #expect(activity["step"] == .integer(1))
            let slots = items(activity["slots"]).filter { $0["issued"] != .integer(0) }
            #expect(slots.count == 1)
            let slot = try #require(slots.first)
            // The current second is not complete.
            #expect(slot["time"] == .integer(Int(LicenseServer.time) - 1))
            #expect(slot["issued"] == .integer(196))
            #expect(slot["refused"] == .integer(4))
            #expect(slot["failed"] == .integer(0))
            #expect(slot["reports"] == .integer(0))
            let percentiles = ["p50", "p95", "p99"].compactMap { slot[$0]?.wholeNumber }
            // The histogram rounds.
            for (found, expected) in zip(percentiles, [1_000, 1_000, 100_000]) {
                #expect(expected * 9 / 10...expected * 11 / 10 ~= found, "\(percentiles)")
            }
            #expect(percentiles.count == 3)
            let clients = items(activity["clients"])
            #expect(clients.count == 1)
            #expect(clients.first?["class"] == .string("appleMobile"))
            #expect(clients.first?["system"] == .integer(18))
            #expect(clients.first?["level"] == .string("main"))
            #expect(clients.first?["count"] == .integer(200))
            let outcomes = items(activity["outcomes"])
            try #require(outcomes.count == 2)
            #expect(outcomes[0] == ["outcome": .string("issued"), "count": .integer(196)])
            let refused: JSONObject = [
                "outcome": .string("refused"), "reason": .string("airplay-denied"), "count": .integer(4),
            ]
            #expect(outcomes[1] == refused)
        }
    }

    @Test("Health contains what is failing, the start of the server, and its open streams and sessions")
    func failing() async throws {
        let now = LicenseServer.time
        var sources = DashboardSources()
        sources.failing = { ["store", "certificates"] }
        sources.activeLeases = { 4 }
        sources.queueDepth = { 3 }
        sources.tlsExpiry = { now + 3 * 86_400 - 1 }
        sources.isDevelopment = true
        let subscription = try #require(sources.events.subscribe())
        defer { sources.events.unsubscribe(subscription) }
        try await withRoutes(sources) { url in
            let body = Array(#"{"token": "\#(LicenseServer.token)"}"#.utf8)
            let json = ["Content-Type": "application/json"]
            for _ in 0..<2 {
                #expect(try await ReceivedResponse.of("POST", url + "/session", json, body).status == 200)
            }
            let health = try await ReceivedResponse.of("GET", url + "/health", Self.authorization, nil).json
            #expect(health["ready"] == .bool(false))
            #expect(health["failing"] == .array([.string("store"), .string("certificates")]))
            #expect(health["development"] == .bool(true))
            #expect(health["started"] == .integer(Int(now)))
            #expect(health["now"] == .integer(Int(now)))
            #expect(health["queue"] == .integer(3))
            #expect(health["leases"] == .integer(4))
            #expect(health["listeners"] == .integer(1))
            #expect(health["sessions"] == .integer(2))
            let expiry = JSONValue.fields([
                ("notAfter", .integer(Int(now) + 3 * 86_400 - 1)), ("daysLeft", .integer(2)),
            ])
            #expect(health["tls"] == expiry)
        }
    }

    @Test("The audit log is searched in every field, page by page")
    func search() async throws {
        try await LicenseServer.run { server in
            for number in 0..<30 {
                var record = AuditRecord(
                    milliseconds: Int64(number),
                    route: "/fps/license",
                    outcome: "issued",
                    microseconds: 1
                )
                record.account = number % 3 == 0 ? "Alice" : "bob"
                record.assetID = Array("film-\(number)".utf8)
                try await server.store.append(record)
            }
            let pages = try await server.pages("/audit?search=aLIce", limit: 4, parameter: "before")
            #expect(pages.flatMap { $0 }.count == 10)
            #expect(pages.first?.count == 4)
            #expect(
                try await server.pages("/audit?search=film-29", limit: 4, parameter: "before").flatMap { $0 }.count == 1
            )
            #expect(
                try await server.pages("/audit?search=missing", limit: 4, parameter: "before").flatMap { $0 }.isEmpty
            )
            #expect(try await server.admin("GET", "/audit?search=").status == 400)
        }
    }
}
