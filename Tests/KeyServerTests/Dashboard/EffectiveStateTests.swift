import KeyStore
import Testing
import TextCoding

@testable import KeyServer

@Suite("The settings, limits and sign-ins of a server", .timeLimit(.minutes(10)))
struct EffectiveStateTests {
    @Test(
        "A setting is shown without the parts that may be secret",
        arguments: [
            ("listen", "127.0.0.1:8080", "127.0.0.1:8080"), ("kek.command", "unwrap --password hunter2", nil),
            (
                "authorization.webhook.url", "https://user:hunter2@api.example.com/a?key=hunter2",
                "https://api.example.com/a"
            ),
            ("authorization.webhook.url", "https://api.example.com?hunter2", "https://api.example.com"),
            ("store", "postgres://keyway@db.example.com/keyway?sslmode=require", "postgres://db.example.com/keyway"),
            ("authorization.webhook.url", "https://a@hunter2@api.example.com/a@b", "https://api.example.com/a@b"),
        ] as [(String, String, String?)]
    )
    func redaction(path: String, value: String, shown: String?) {
        #expect(EffectiveSetting.shown(value, of: path) == shown)
        let json = EffectiveSetting(path: path, value: value, origin: .standard).administrationJSON
        #expect(json["set"] == .bool(true))
        #expect(!String(decoding: json.encoded, as: UTF8.self).contains("hunter2"))
    }

    @Test("Limits have their maximum, their use, and how often they were reached")
    func limits() async throws {
        var rates = RateLimits()
        rates.license.account = RateLimit(perMinute: 7, burst: 7)
        try await LicenseServer.run(rates: rates) { server in
            let answer = try await server.admin("GET", "/limits")
            #expect(answer.status == 200)
            let items = try #require(answer.json["items"]?.items)
            func item(_ name: String, _ subject: String?) -> JSONValue? {
                items.first { $0["name"]?.text == name && $0["subject"]?.text == subject }
            }
            #expect(item("requestsPerMinuteOfAccount", "license")?["maximum"] == .integer(7))
            #expect(item("requestsPerMinuteOfAccount", "license")?["reached"] == .integer(0))
            #expect(item("requestsPerMinuteOfAccount", "license")?["used"] == nil)
            let connections = item("connections", "administration")
            #expect(connections?["maximum"] == .integer(900))
            #expect(connections?["reached"] == .integer(0))
            #expect(item("eventStreams", nil)?["used"] == .integer(0))
            let names = items.map { "\($0["name"]?.text ?? "") \($0["subject"]?.text ?? "")" }
            #expect(Set(names).count == names.count)
        }
    }

    @Test("Only an admin sees settings and sign-ins; wrong tokens are counted")
    func signIns() async throws {
        try await LicenseServer.run { server in
            let token = try await server.token(.support)
            for path in ["/configuration", "/sign-ins"] {
                #expect(try await server.admin("GET", path, token: token).status == 403)
                #expect(try await server.admin("GET", path).status == 200)
            }
            #expect(try await server.admin("GET", "/policies", token: "wrong").status == 401)
            let sessions = try await server.admin("GET", "/sign-ins")
            #expect(sessions.json["sessions"] == .array([]))
            #expect(sessions.json["failed"]?["attempts"] == .integer(1))
            #expect(sessions.json["failed"]?["addresses"] == .integer(1))
            let body = Array(#"{"token": "\#(token)"}"#.utf8)
            let signedIn = try await server.send("POST", "/admin/session", type: "application/json", body, token: nil)
            #expect(signedIn.status == 200)
            let session = try #require(try await server.admin("GET", "/sign-ins").json["sessions"]?.items?.first)
            #expect(session["name"] == .string("a-support"))
            #expect(session["role"] == .string("support"))
        }
    }
}
