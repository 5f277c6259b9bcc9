import ArgumentParser
import FPSCrypto
import Foundation
import OwnThreads
import Synchronization
import Testing
import TextCoding
import ToolSupport
import VirtualDevice

@testable import keyway

@Suite("keyway doctor", .timeLimit(.minutes(10)), .ownThreads)
struct DoctorTests {
    private func token(_ header: String, _ claims: String) -> String {
        [header, claims, "signature"].map { Base64.encodeURLSafe(Array($0.utf8)).filter { $0 != "=" } }
            .joined(separator: ".")
    }

    @Test("The claims of a token are read without verifying it")
    func claims() throws {
        let text = token(
            #"{"alg":"ES256"}"#,
            #"{"iss":"https://a","aud":["b","c"],"exp":1800000000,"nbf":1700000000.5}"#
        )
        let claims = try #require(PlaybackTokenClaims(text))
        #expect(claims.algorithm == "ES256" && claims.issuer == "https://a" && claims.audiences == ["b", "c"])
        #expect(claims.expiry == 1_800_000_000 && claims.start == 1_700_000_001)
        #expect(PlaybackTokenClaims(token("{}", #"{"aud":"b"}"#))?.audiences == ["b"])
    }

    @Test(
        "Texts that are no JWT have no claims",
        arguments: ["", "a", "a.b", "a.b.c", "dev:account", "..", String(repeating: "a", count: 20_000)]
    )
    func noClaims(text: String) { #expect(PlaybackTokenClaims(text) == nil) }

    @Test("Numbers beyond the range of times have no effect")
    func numbers() {
        let text = token("{}", #"{"exp":1e300,"nbf":-1}"#)
        #expect(PlaybackTokenClaims(text)?.expiry == nil && PlaybackTokenClaims(text)?.start == -1)
    }

    @Test(
        "The problem type of the server determines the step",
        arguments: [
            ("token-expired", "token"), ("token-audience", "token"), ("token-signature", "token"),
            ("unauthorized", "token"), ("unknown-asset", "license"), ("refused-by-policy", "license"),
            ("unreadable-spc", "license"), ("streams-exceeded", "license"), ("a-new-type", "license"),
        ]
    )
    func problemTypes(name: String, step: String) throws {
        let body = #"{"type":"urn:keyway:problem:\#(name)","title":"T","status":403,"reason":"R","instance":"I"}"#
        let response = try #require(ProblemResponse(status: 403, body: Array(body.utf8)))
        let outcome = KeyRequestOutcome(
            uri: "skd://film?token=secret",
            deviceClass: "iphone",
            isPersistent: false,
            stage: .license,
            error: CommandFailure.input("refused").caused(by: response)
        )
        let problem = try #require(LicenseProblem(outcome))
        #expect(problem.step == step && problem.code == name)
        let text = problem.text(for: " (iphone)")
        #expect(
            text.contains("R") && text.hasSuffix(" (iphone).") && !text.contains("secret") && !problem.remedy.isEmpty
        )
    }

    @Test("The problem document of another server has its status as the code")
    func otherServers() throws {
        let response = try #require(ProblemResponse(status: 418, body: Array(#"{"type":"about:blank"}"#.utf8)))
        #expect(response.name == nil)
        #expect(ProblemResponse(status: 418, body: Array("<html>".utf8)) == nil)
    }

    // MARK: Clock and caches

    /// The time of this machine in the tests, in seconds since 1970: 2027-01-15T08:00:00Z.
    private static let now = 1_800_000_000.0

    /// Returns the steps for a server with a certificate whose Date is 5 minutes ago, as in a cache.
    private func steps(
        _ health: @escaping @Sendable (_ path: String, _ count: Int) -> LittleServer.Response
    ) async throws -> [Diagnosis.Step] {
        let certificate = [UInt8](try Data(contentsOf: URL(filePath: Keys.path("test-rsa-2048.der"))))
        let count = Mutex(0)
        let server = try LittleServer { request in
            guard request.path.hasPrefix("/healthz") else {
                return .init(headers: ["Date": "Fri, 15 Jan 2027 07:54:50 GMT", "Age": "310"], body: certificate)
            }
            return health(
                request.path,
                count.withLock { count in
                    count += 1
                    return count
                }
            )
        }
        let url = try #require(URLArgument(argument: server.address))
        let dask = DASkRule.development(ask: SecretBytes(copying: Array(0..<16)))
        let target = DoctorTarget(client: try KeyServerClient(url, token: nil), dask: dask, profiles: [])
        let results = await ServerSteps(target: target, origin: nil, now: { Self.now }, nonce: { "1" }).run()
        withExtendedLifetime(server) {}
        return results.steps
    }

    private static func response(_ date: String = "Fri, 15 Jan 2027 08:00:00 GMT", id: String) -> LittleServer.Response
    {
        .init(headers: ["Date": date, "X-Request-Id": id, "Cache-Control": "no-store"], body: Array("ok".utf8))
    }

    @Test("The clock is that of a response that is not stored, not that of a cached certificate")
    func clockBehindCache() async throws {
        let good = try await steps { path, count in Self.response(id: "\(count)") }
        #expect(good[0].mark == .ok && good[1].id == "clock" && good[1].mark == .ok, "\(good[1].summary)")
        let wrong = try await steps { path, count in Self.response("Fri, 15 Jan 2027 07:00:00 GMT", id: "\(count)") }
        #expect(wrong[0].mark == .ok && wrong[1].problems.first?.code == "clock-wrong")
        // A server without the route: the certificate comes from a cache.
        let other = try await steps { _, _ in .init(status: 404) }
        #expect(other[0].mark == .ok && other[1].mark == .skipped, "\(other[1].summary)")
    }

    @Test("A cache that stores responses in spite of no-store is a failure of the step server")
    func storedResponses() async throws {
        let old = "Fri, 15 Jan 2027 07:00:00 GMT"
        let byURL = try await steps { path, _ in
            path.contains("?") ? Self.response(id: "new") : Self.response(old, id: "old")
        }
        #expect(byURL[0].problems.map(\.code) == ["response-cached"] && byURL[0].mark == .failed)
        #expect(byURL[0].problems[0].remedy.contains("/fps/certificate"))
        let evidence = "Two requests for /healthz got the same response: X-Request-Id: old, Date: \(old)."
        #expect(byURL[0].problems[0].text.hasSuffix(evidence), "\(byURL[0].problems[0].text)")
        #expect(byURL[1].mark == .ok && byURL[2].mark != .skipped)
        // The cache ignores the query too.
        let byPath = try await steps { _, _ in Self.response(old, id: "old") }
        #expect(byPath[0].problems.map(\.code) == ["response-cached"] && byPath[1].mark == .skipped)
        // Another server that has the route, but no IDs.
        let other = try await steps { _, _ in .init(headers: ["Date": "Fri, 15 Jan 2027 08:00:00 GMT"]) }
        #expect(other[0].mark == .ok && other[1].mark == .ok)
    }
}
