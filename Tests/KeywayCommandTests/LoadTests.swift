import Foundation
import JWTKit
import OwnThreads
import Synchronization
import Testing

@testable import keyway

/// Tests of `keyway load`, `keyway device watch` and `keyway token`. IntegrationTests run them with the real server.
@Suite("keyway load", .timeLimit(.minutes(10)), .ownThreads)
struct LoadTests {
    let tool: Tool
    let credentials: String

    init() throws {
        tool = try Tool()
        credentials = tool.path("credentials")
        try #require(try tool.run(["credentials", "new", "--out", credentials]).status == 0)
    }

    /// A server that records its requests, and sends the given responses.
    private func server(
        _ seen: Seen,
        _ answer: @escaping @Sendable (Int) -> LittleServer.Response
    ) throws -> LittleServer {
        let certificate = try tool.content("\(credentials)/certificate.der")
        return try LittleServer { request in
            guard request.method == "POST" else { return .init(body: certificate) }
            return answer(seen.note(request))
        }
    }

    private final class Seen: Sendable {
        private let requests = Mutex<[LittleServer.Request]>([])
        var all: [LittleServer.Request] { requests.withLock { $0 } }
        func note(_ request: LittleServer.Request) -> Int {
            requests.withLock { requests in
                requests.append(request)
                return requests.count
            }
        }
    }

    private func load(_ server: LittleServer, _ more: [String]) throws -> Tool.Outcome {
        try tool.run(
            [
                "load", "--server", server.address, "--credentials", credentials, "--assets", "movie,film",
                "--accounts",
                "2", "--devices-per-account", "2", "--warm-up", "0s", "--duration", "60s",
            ] + more
        )
    }

    private static func problem(_ name: String, reason: String? = nil) -> [UInt8] {
        Array(
            "{\"type\":\"urn:keyway:problem:\(name)\",\"status\":403\(reason.map { ",\"reason\":\"\($0)\"" } ?? "")}"
                .utf8
        )
    }

    @Test("Every SPC is new, every outcome is counted, and the run ends when the SPCs are used up")
    func closedLoop() throws {
        let seen = Seen()
        let server = try server(seen) { number in
            switch number % 4 {
            case 0: .init(status: 503, body: Self.problem("overloaded"))
            case 1: .init(status: 403, body: Self.problem("refused-by-policy", reason: "streams-exceeded"))
            default: .init(body: [1, 2, 3])
            }
        }
        let outcome = try load(server, ["--requests", "40", "--connections", "3", "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let json = try outcome.json()
        #expect((json["run"] as? [String: Any])?["licenses"] as? Int == 20)
        let answers = (json["outcomes"] as? [String: Any])?["responses"] as? [[String: Any]] ?? []
        let counted = answers.map {
            "\($0["status"] ?? "") \($0["problem"] ?? "") \($0["reason"] ?? "") \($0["count"] ?? "")"
        }
        #expect(
            counted == ["200 license - 20", "403 refused-by-policy streams-exceeded 10", "503 overloaded - 10"]
        )
        #expect((json["notes"] as? [String])?.first?.contains("used up") == true)
        #expect(seen.all.count == 40)
        #expect(Set(seen.all.map(\.body)).count == 40)
        #expect(seen.all.allSatisfy { $0.path == "/fps/license" })
        // Tokens of a development server, for both accounts.
        let tokens = Set(seen.all.compactMap { $0.headers["authorization"] })
        #expect(tokens == ["Bearer dev:load-1", "Bearer dev:load-2"])
        #expect(outcome.errors.contains("at most 360 licenses to 2 accounts in 60 seconds"), "\(outcome.errors)")
        let without = try load(server, ["--requests", "4", "--token-algorithm", "none"])
        #expect(without.errors.contains("to 1 account in 60 seconds"), "\(without.errors)")
        #expect(seen.all.suffix(4).allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test("A run of which the server refuses most requests fails, with the reasons and their counts")
    func mostlyRefused() throws {
        let server = try server(Seen()) { number in
            switch number % 5 {
            case 0: .init(body: [1])
            case 1: .init(status: 503, body: Self.problem("overloaded"))
            default: .init(status: 429, body: Self.problem("rate-limited", reason: "account"))
            }
        }
        let outcome = try load(server, ["--requests", "10", "--connections", "1", "--json"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("refused 8 of 10 requests: 6 x 429 rate-limited account, 2 x 503 overloaded"))
        #expect(outcome.errors.contains("--accounts"))
        #expect((try outcome.json()["problem"] as? [String: Any])?["code"] as? String == "mostly-refused")
        let watch = try tool.run(
            [
                "device", "watch", "--server", server.address, "--credentials", credentials, "--assets", "movie",
                "--accounts", "5", "--devices-per-account", "2", "--single-pass",
            ]
        )
        #expect(watch.status == 1)
        #expect(watch.errors.contains("note: with its default limits"), "\(watch.errors)")
        // Half of them are no problem, nor is a lost connection.
        var tally = LoadTally()
        tally.outcomes = [.granted: 2, LoadOutcome(status: 403, problem: "refused-by-policy"): 2]
        #expect(LoadReport.refusal(of: tally) == nil)
        tally.outcomes = [.granted: 1, .lost: 7, LoadOutcome(status: 403): 3]
        #expect(LoadReport.refusal(of: tally) == nil)
        tally.outcomes = [LoadOutcome(status: 404, problem: "unknown-asset"): 1]
        #expect(LoadReport.refusal(of: tally)?.next?.contains("--assets") == true)
    }

    @Test("The default limits of the server and their effect on a run")
    func limits() {
        let local = LoadLimits(accounts: 100, isRemote: false, seconds: 12, licenses: nil)
        #expect(local.maximum == 8_400)
        #expect(local.sentence.contains("limits.rates"))
        let remote = LoadLimits(accounts: 100, isRemote: true, seconds: 12, licenses: 100)
        #expect(remote.maximum == 840)
        #expect(remote.sentence.contains("more than the 100 requests"), "\(remote.sentence)")
    }

    @Test("A batch requests the keys of one playback, and each of its licenses is counted")
    func batch() throws {
        let seen = Seen()
        let server = try server(seen) { number in
            guard number % 2 == 0 else { return .init(status: 503, body: Self.problem("overloaded")) }
            let refused =
                #"{"id":1,"status":403,"problem":{"type":"urn:keyway:problem:refused-by-policy","reason":"hdcp"}}"#
            let granted = #"{"id":2,"status":0,"ckc":"AQID"}"#
            return .init(body: Array(#"{"fairplay-streaming-response":{"create-ckc":[\#(granted),\#(refused)]}}"#.utf8))
        }
        let outcome = try load(server, ["--requests", "8", "--batch", "2", "--connections", "1", "--json"])
        // Most of them are refused.
        #expect(outcome.status == 1, "\(outcome.errors)")
        let json = try outcome.json()
        #expect((json["run"] as? [String: Any])?["licenses"] as? Int == 4)
        let answers = (json["outcomes"] as? [String: Any])?["responses"] as? [[String: Any]] ?? []
        let counted = answers.map { "\($0["status"] ?? "") \($0["reason"] ?? "") \($0["count"] ?? "")" }
        #expect(counted == ["200 - 4", "403 hdcp 4", "503 - 8"])
        #expect(seen.all.allSatisfy { $0.path == "/fps/licenses" && $0.headers["content-type"] == "application/json" })
        let spcs = seen.all.flatMap { String(decoding: $0.body, as: UTF8.self).matches(of: /"spc":"([^"]+)"/) }
        #expect(spcs.count == 16)
        #expect(try tool.run(["load", "--server", server.address, "--assets", "movie", "--batch", "2"]).status == 2)
    }

    @Test(
        "In open loop, latency is measured from the time a request was due, so that a stall affects all waiting requests"
    )
    func openLoop() throws {
        let seen = Seen()
        let server = try server(seen) { number in
            if number == 1 { Thread.sleep(forTimeInterval: 1) }
            return .init(body: [1])
        }
        // All requests are due within about half a second, while the server sleeps. If latency were measured from the
        // time of sending, as in closed loop, all latencies except one would be short.
        let outcome = try load(server, ["--connections", "1", "--rate", "200", "--requests", "100", "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(seen.all.count == 100)
        let latency = try outcome.json()["latency"] as? [String: Any] ?? [:]
        #expect(try #require(latency["p50"] as? Double) >= 400)
        #expect(try #require(latency["p99"] as? Double) >= 900)
    }

    // Two accounts with two devices each; every device sends one start and four renewals.
    @Test(
        "Tokens are signed with the key in the key set, and their number depends on --token-per",
        arguments: [("request", 20), ("session", 4), ("account", 2)]
    )
    func tokens(scope: String, count: Int) async throws {
        let seen = Seen()
        let server = try server(seen) { _ in .init(body: [1]) }
        let outcome = try load(
            server,
            [
                "--requests", "20", "--renewal-share", "1", "--token-algorithm", "es256", "--token-per", scope,
                "--token-key",
                "token.pem", "--write-jwks", "jwks.json", "--token-issuer", "me",
            ]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let tokens = seen.all.compactMap { $0.headers["authorization"]?.replacing("Bearer ", with: "") }
        #expect(tokens.count == 20)
        #expect(Set(tokens).count == count)
        let keySet = String(decoding: try tool.content(tool.path("jwks.json")), as: UTF8.self)
        let checker = try await JWTKeyCollection().add(jwksJSON: keySet)
        var accounts: Set<String> = []
        for token in tokens {
            let claims = try await checker.verify(token, as: PlaybackClaims.self)
            #expect(claims.iss == "me")
            accounts.insert(claims.sub)
        }
        #expect(accounts == ["load-1", "load-2"])
        let keys = try Tool.json(try tool.content(tool.path("jwks.json")))["keys"] as? [[String: Any]] ?? []
        #expect(keys.map { $0["kty"] as? String } == ["EC"])
        #expect(keys.first?["d"] == nil)
    }

    @Test("A run whose SPCs are used up in the warm-up reports it, and has no results")
    func warmUp() throws {
        let server = try server(Seen()) { _ in .init(body: [1]) }
        let outcome = try load(server, ["--requests", "10", "--warm-up", "60s", "--json"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("used up during the warm-up"))
        let json = try outcome.json()
        #expect((json["problem"] as? [String: Any])?["code"] as? String == "requests-exhausted")
        #expect((json["generator"] as? [String: Any])?["busy"] as? Double == 0)
    }

    @Test("An incomplete trace is an error", arguments: [["load"], ["device", "watch"]])
    func fullDisk(command: [String]) throws {
        let server = try server(Seen()) { _ in .init(status: 404) }
        let outcome = try tool.run(
            command + [
                "--server", server.address, "--credentials", credentials, "--assets", "movie", "--accounts", "1",
                "--trace", "/dev/full",
            ] + (command == ["load"] ? ["--requests", "2", "--warm-up", "0s"] : ["--single-pass"])
        )
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("the trace is incomplete"))
    }

    @Test("The simulated audience can be larger than the default limit of open files")
    func openFiles() throws {
        let server = try server(Seen()) { number in
            // The other devices open their connections meanwhile.
            if number == 1 { Thread.sleep(forTimeInterval: 1) }
            return .init(status: 404)
        }
        let outcome = try tool.run(
            [
                "device", "watch", "--server", server.address, "--credentials", credentials, "--assets", "movie",
                "--accounts", "40", "--devices-per-account", "1", "--pause", "1s", "--duration", "3s", "--trace",
                "trace.jsonl",
            ],
            openFiles: 30
        )
        #expect(outcome.status == 1 && outcome.errors.contains("404"), "\(outcome.errors)")
        let lines = try tool.content(tool.path("trace.jsonl")).split(separator: 0x0a).map { try Tool.json(Array($0)) }
        // Each of the 40 devices got a response.
        let answered = lines.filter { $0["status"] as? Int == 404 }.compactMap { $0["account"] as? String }
        #expect(Set(answered).count == 40, "\(lines)")
    }

    @Test("A stored key signs tokens for the same key set, and only its owner can read it")
    func tokenKey() throws {
        let arguments = [
            "token", "--token-algorithm", "es256", "--token-key", "token.pem", "--write-jwks", "jwks.json",
        ]
        let device = "00112233445566778899AABBCCDDEEFF"
        let first = try tool.run(
            arguments + ["--account", "anna", "--assets", "a,b", "--device", device, "--once"]
        )
        #expect(first.status == 0, "\(first.errors)")
        let keys = try tool.content(tool.path("jwks.json"))
        #expect(try tool.run(arguments + ["--account", "ben", "--lifetime=-60s"]).status == 0)
        #expect(try tool.content(tool.path("jwks.json")) == keys)
        let mode = try FileManager.default.attributesOfItem(atPath: tool.path("token.pem"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let claims = try Self.claims(String(first.text.split(separator: ".")[1]))
        #expect(claims["sub"] as? String == "anna")
        #expect(claims["assets"] as? [String] == ["a", "b"])
        #expect(claims["once"] as? Bool == true)
        // The audit log and the server have lowercase digits.
        #expect(claims["device"] as? String == device.lowercased())
    }

    @Test("A shared secret is read from a file, has 32 bytes, and only the owner can read its key set")
    func sharedSecret() throws {
        let arguments = ["token", "--token-algorithm", "hs256", "--account", "anna", "--write-jwks", "jwks.json"]
        let short = try tool.file("short", Array("too short".utf8))
        #expect(try tool.run(arguments + ["--token-secret", "@\(short)"]).status == 1)
        #expect(try tool.run(arguments + ["--token-secret", "in-the-open-in-the-open-in-the-open"]).status == 2)
        let secret = try tool.file("secret", Array("0123456789abcdef0123456789abcdef\r\n".utf8))
        let outcome = try tool.run(arguments + ["--token-secret", "@\(secret)"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let mode = try FileManager.default.attributesOfItem(atPath: tool.path("jwks.json"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        // A trailing newline is not part of the secret.
        let keys = try Tool.json(try tool.content(tool.path("jwks.json")))["keys"] as? [[String: Any]]
        #expect(keys?.first?["k"] as? String == "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY")
    }

    @Test("With --check, devices reject invalid CKCs, and the trace contains account and asset")
    func checked() throws {
        let server = try server(Seen()) { _ in .init(headers: ["X-Request-Id": "id-1"], body: [1, 2, 3]) }
        let outcome = try load(server, ["--requests", "5", "--check", "--trace", "trace.jsonl"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("the devices rejected 5 CKCs"))
        let lines = try tool.content(tool.path("trace.jsonl")).split(separator: 0x0a).map { try Tool.json(Array($0)) }
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0["requestId"] as? String == "id-1" && $0["lease"] == nil })
        #expect(Set(lines.compactMap { $0["account"] as? String }) == ["load-1", "load-2"])
    }

    @Test("Simulated devices trace every request, also without a response")
    func watch() throws {
        let server = try server(Seen()) { $0 % 2 == 0 ? .init(body: [1]) : .init(status: 404) }
        let outcome = try tool.run(
            [
                "device", "watch", "--server", server.address, "--credentials", credentials, "--assets", "movie",
                "--accounts", "2", "--devices-per-account", "2", "--single-pass", "--trace", "trace.jsonl",
                "--identity-seed",
                "7",
            ]
        )
        #expect(outcome.status == 1)
        let lines = try tool.content(tool.path("trace.jsonl")).split(separator: 0x0a).map { try Tool.json(Array($0)) }
        let who = lines.map { "\($0["account"] ?? "") \($0["device"] ?? "") \($0["status"] ?? "")" }
        #expect(who == ["load-1 0 404", "load-1 1 200", "load-2 0 404", "load-2 1 200"])
    }

    @Test(
        "Servers on other machines require --remote",
        arguments: [
            "http://example.com", "https://10.0.0.1:8080", "http://127.0.0.1.example.com", "http://[2001:db8::1]",
        ]
    )
    func remote(address: String) throws {
        let arguments = ["load", "--server", address, "--credentials", credentials, "--assets", "movie"]
        let outcome = try tool.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("--remote"))
    }

    @Test("Servers that cannot be reached and processes that do not exist are errors")
    func absent() throws {
        let arguments = ["load", "--server", "http://127.0.0.1:1", "--credentials", credentials, "--assets", "movie"]
        let outcome = try tool.run(arguments)
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("cannot reach 127.0.0.1:1"))
        #expect(try tool.run(arguments + ["--server-pid", "2147483647"]).status == 1)
    }

    private static func claims(_ part: String) throws -> [String: Any] {
        let base64 = part.replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
        return try Tool.json(Array(try #require(Data(base64Encoded: padded))))
    }
}
