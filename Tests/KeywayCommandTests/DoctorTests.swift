import FPSCrypto
import Testing
import TextCoding
import ToolSupport

@testable import keyway

@Suite("keyway doctor")
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
}
