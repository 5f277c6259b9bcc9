import HTTPTypes
import HummingbirdCore
import KeyStore
import Testing
import VirtualDevice

@testable import KeyServer

@Suite("Authorization: all refusals", .timeLimit(.minutes(10)))
struct AuthorizationRefusalTests {
    /// A token that differs from a valid one in one property.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: ProblemType
        var reason: String?
        var header = #"{"alg":"HS256","kid":"hs-1"}"#
        var claims: [String: String] = [:]
        var now: Int64 = 1_700_000_000
        var asset: String?
    }

    static let good = [
        "iss": #""https://issuer.example""#, "aud": #""keyway""#, "sub": #""viewer-1""#, "exp": "1700000100",
    ]

    static let cases: [Case] = [
        .init(testDescription: "no issuer", type: .tokenClaims, reason: "iss", claims: ["iss": ""]),
        .init(testDescription: "issuer is a number", type: .tokenClaims, reason: "iss", claims: ["iss": "1"]),
        .init(testDescription: "unknown issuer", type: .tokenIssuer, claims: ["iss": #""https://evil.example""#]),
        .init(
            testDescription: "issuer with an additional slash",
            type: .tokenIssuer,
            claims: ["iss": #""https://issuer.example/""#]
        ),
        .init(testDescription: "no audience", type: .tokenClaims, reason: "aud", claims: ["aud": ""]),
        .init(testDescription: "audience null", type: .tokenClaims, reason: "aud", claims: ["aud": "null"]),
        .init(
            testDescription: "audience with a number",
            type: .tokenClaims,
            reason: "aud",
            claims: ["aud": #"["keyway",1]"#]
        ),
        .init(testDescription: "other audience", type: .tokenAudience, claims: ["aud": #"["other"]"#]),
        .init(testDescription: "empty audience", type: .tokenAudience, claims: ["aud": "[]"]),
        .init(testDescription: "no expiry", type: .tokenClaims, reason: "exp", claims: ["exp": ""]),
        .init(testDescription: "expiry as text", type: .tokenClaims, reason: "exp", claims: ["exp": #""1700000100""#]),
        .init(testDescription: "negative expiry", type: .tokenClaims, reason: "exp", claims: ["exp": "-1"]),
        .init(
            testDescription: "expiry beyond the maximum",
            type: .tokenClaims,
            reason: "exp",
            claims: ["exp": "1e300"]
        ),
        .init(
            testDescription: "expiry beyond 64 bits",
            type: .tokenClaims,
            reason: "exp",
            claims: ["exp": "99999999999999999999"]
        ),
        .init(testDescription: "expired", type: .tokenExpired, now: 1_700_000_160),
        .init(testDescription: "not yet valid", type: .tokenNotYetValid, claims: ["nbf": "1700000061"]),
        .init(testDescription: "issued in the future", type: .tokenNotYetValid, claims: ["iat": "1700000061"]),
        .init(testDescription: "nbf true", type: .tokenClaims, reason: "nbf", claims: ["nbf": "true"]),
        .init(testDescription: "iat text", type: .tokenClaims, reason: "iat", claims: ["iat": #""now""#]),
        .init(testDescription: "no subject", type: .tokenClaims, reason: "sub", claims: ["sub": ""]),
        .init(testDescription: "empty subject", type: .tokenClaims, reason: "sub", claims: ["sub": #""""#]),
        .init(
            testDescription: "subject with a line break",
            type: .tokenClaims,
            reason: "sub",
            claims: ["sub": #""a\nb""#]
        ),
        .init(
            testDescription: "long subject",
            type: .tokenClaims,
            reason: "sub",
            claims: ["sub": "\"\(String(repeating: "a", count: 201))\""]
        ),
        .init(testDescription: "assets true", type: .tokenClaims, reason: "assets", claims: ["assets": "true"]),
        .init(testDescription: "title as a list", type: .tokenClaims, reason: "title", claims: ["title": "[]"]),
        .init(testDescription: "policy as a number", type: .tokenClaims, reason: "policy", claims: ["policy": "1"]),
        .init(
            testDescription: "device too short",
            type: .tokenClaims,
            reason: "device",
            claims: ["device": #""0001""#]
        ),
        .init(
            testDescription: "device not hexadecimal",
            type: .tokenClaims,
            reason: "device",
            claims: ["device": "\"\(String(repeating: "g", count: 32))\""]
        ),
        .init(
            testDescription: "persist as text",
            type: .tokenClaims,
            reason: "persist",
            claims: ["persist": #""yes""#]
        ),
        .init(
            testDescription: "once as a number",
            type: .tokenClaims,
            reason: "once",
            claims: ["once": "1", "jti": #""a""#]
        ),
        .init(testDescription: "once without an ID", type: .tokenClaims, reason: "jti", claims: ["once": "true"]),
        .init(testDescription: "ID as a number", type: .tokenClaims, reason: "jti", claims: ["jti": "7"]),
        .init(
            testDescription: "rental start text",
            type: .tokenClaims,
            reason: "rentalStart",
            claims: ["rentalStart": #""a""#]
        ),
        .init(testDescription: "notAfter text", type: .tokenClaims, reason: "notAfter", claims: ["notAfter": #""a""#]),
        .init(
            testDescription: "notAfter has passed",
            type: .tokenExpired,
            reason: "notAfter",
            claims: ["notAfter": "1700000000"]
        ),
        .init(
            testDescription: "other asset",
            type: .tokenAsset,
            reason: "assets",
            claims: ["assets": #"["movie"]"#],
            asset: "other"
        ),
        .init(
            testDescription: "other case of an asset",
            type: .tokenAsset,
            reason: "assets",
            claims: ["assets": #""movie""#],
            asset: "Movie"
        ),
        .init(testDescription: "alg none", type: .tokenAlgorithm, header: #"{"alg":"none"}"#),
        .init(testDescription: "alg None", type: .tokenAlgorithm, header: #"{"alg":"None"}"#),
        .init(testDescription: "alg hs256", type: .tokenAlgorithm, header: #"{"alg":"hs256"}"#),
        .init(testDescription: "no alg", type: .tokenAlgorithm, header: #"{"typ":"JWT"}"#),
        .init(testDescription: "alg null", type: .tokenAlgorithm, header: #"{"alg":null}"#),
        .init(testDescription: "alg as a list", type: .tokenAlgorithm, header: #"{"alg":["HS256"]}"#),
        .init(testDescription: "alg HS512", type: .tokenAlgorithm, header: #"{"alg":"HS512","kid":"hs-1"}"#),
        .init(testDescription: "alg twice", type: .tokenMalformed, header: #"{"alg":"none","alg":"HS256"}"#),
        .init(
            testDescription: "a key of another type",
            type: .tokenAlgorithm,
            header: #"{"alg":"HS256","kid":"rsa-1"}"#
        ),
        .init(testDescription: "another curve's key", type: .tokenAlgorithm, header: #"{"alg":"HS256","kid":"ec-1"}"#),
        .init(testDescription: "unknown key", type: .tokenUnknownKey, header: #"{"alg":"HS256","kid":"other"}"#),
        .init(testDescription: "kid as a number", type: .tokenMalformed, header: #"{"alg":"HS256","kid":1}"#),
        .init(testDescription: "kid empty", type: .tokenMalformed, header: #"{"alg":"HS256","kid":""}"#),
        .init(
            testDescription: "critical header",
            type: .tokenMalformed,
            header: #"{"alg":"HS256","crit":["exp"],"exp":1}"#
        ),
        .init(testDescription: "critical header null", type: .tokenMalformed, header: #"{"alg":"HS256","crit":null}"#),
        .init(testDescription: "header as an array", type: .tokenMalformed, header: #"["HS256"]"#),
        .init(testDescription: "header too deep", type: .tokenMalformed, header: #"{"alg":"HS256","a":[[[[[[1]]]]]]}"#),
        .init(
            testDescription: "payload too deep",
            type: .tokenMalformed,
            claims: ["a": String(repeating: "[", count: 3_000)]
        ),
        .init(
            testDescription: "too large",
            type: .tokenMalformed,
            claims: ["a": "\"\(String(repeating: "a", count: 9_000))\""]
        ),
        .init(
            testDescription: "another key's signature",
            type: .tokenAlgorithm,
            header: #"{"alg":"ES256","kid":"hs-1"}"#
        ),
        .init(
            testDescription: "a signature of another type",
            type: .tokenSignature,
            header: #"{"alg":"ES256","kid":"ec-1"}"#
        ),
        .init(
            testDescription: "a short RSA signature",
            type: .tokenSignature,
            header: #"{"alg":"RS256","kid":"rsa-1"}"#
        ),
    ]

    @Test("A token with one invalid property is refused for that property", arguments: cases)
    func refused(_ item: Case) async throws {
        let authorizer = try JWTAuthorizer(try await .test())
        let claims = Self.good.merging(item.claims) { $1 }.filter { !$0.value.isEmpty }
        let payload = "{" + claims.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        let token = try await TokenSigner.hs256().token(item.header, payload)
        let refusal = try #require(try await authorizer.refusal(.test(token, asset: item.asset, now: item.now)))
        #expect(refusal.type == item.type)
        if let reason = item.reason { #expect(refusal.reason == reason) }
        // The account is known only after the signature has been verified.
        let afterSignature: [ProblemType] = [
            .tokenClaims, .tokenAudience, .tokenExpired, .tokenNotYetValid, .tokenAsset,
        ]
        let isKnown = afterSignature.contains(item.type) && !["iss", "sub"].contains(item.reason)
        #expect(refusal.auditAccount == (isKnown ? "viewer-1" : nil))
        // No input is returned.
        #expect(!"\(refusal)".contains(token) && !"\(refusal)".contains("evil"))
    }

    @Test(
        "Invalid tokens are refused",
        arguments: [
            "a", ".", "..", "...", "a.b", "a.b.c", "a.b.c.d", "e30.e30.", "e30=.e30.AA", "eyJhbGciOiJIUzI1NiJ9.e30",
            "eyJhbGciOiJIUzI1NiJ9.e30.A", "eyJhbGciOiJIUzI1NiJ9.e30.A+/A", "eyJhbGciOiJIUzI1NiJ9 .e30.AA",
            "eyJhbGciOiJIUzI1NiJ9.W10.AA", "eyJhbGciOiJIUzI1NiJ9..AA", "eyJhbGciOiJIUzI1NiJ9.e31.AA", "\u{FEFF}a.b.c",
            "dev:viewer", String(repeating: ".", count: 100_000), "Bearer a.b.c",
        ]
    )
    func noToken(text: String) async throws {
        let authorizer = try JWTAuthorizer(try await .test())
        let refusal = try await authorizer.refusal(.test(text))
        #expect(refusal?.type == .tokenMalformed || refusal?.type == .tokenAlgorithm)
    }

    @Test("A missing and an empty token have the same refusal")
    func missing() async throws {
        let authorizer = try JWTAuthorizer(try await .test())
        for token in [nil, ""] {
            let refusal = try await authorizer.refusal(.test(token))
            #expect(refusal?.type == .tokenMissing)
        }
    }

    @Test("A forged token has no account")
    func forged() async throws {
        let authorizer = try JWTAuthorizer(try await .test())
        let payload = "{" + Self.good.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        let other = try await TokenSigner.hs256(Array("another secret, never to be used".utf8))
        let refusal = try await authorizer.refusal(.test(other.token(#"{"alg":"HS256","kid":"hs-1"}"#, payload)))
        #expect(refusal?.type == .tokenSignature)
        #expect(refusal?.auditAccount == nil)
    }

    @Test("Over HTTP: the audit record of an expired token has the account, that of a forged one has none")
    func audited() async throws {
        let authorizer = try JWTAuthorizer(try await .test())
        let payload = "{" + Self.good.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        let expired = try await TokenSigner.hs256().token(#"{"alg":"HS256","kid":"hs-1"}"#, payload)
        try await LicenseServer.run(authorizer: authorizer) { server in
            let spc = try server.request(server.device()).spc
            for (token, account, outcome) in [
                (expired, "viewer-1", "token-expired"), (String(expired.dropLast(4)) + "AAAA", nil, "token-signature"),
            ] as [(String, String?, String)] {
                let answer = try await server.send(
                    "POST",
                    "/fps/license",
                    type: "application/octet-stream",
                    spc,
                    token: token
                )
                #expect(answer.status == 401 && !answer.text.contains("viewer-1"))
                let record = try await server.store.auditEntries(before: nil, limit: 1).first?.record
                #expect(record?.outcome == outcome)
                #expect(record?.account == account)
            }
        }
    }

    @Test("A 401 has WWW-Authenticate, and the details for the audit log are not sent")
    func document() async throws {
        for type in ProblemType.all {
            let response = ProblemDocument(type, auditDetail: "secret", auditAccount: "secret")
                .response(instance: "a")
            #expect((response.headers[.wwwAuthenticate] == "Bearer") == (type.status == .unauthorized))
            let text = try await response.text
            #expect(!text.contains("secret"))
        }
    }

    @Test("A full pool results in overloaded")
    func full() async throws {
        let (pool, gate) = (BoundedWorkPool(threads: 1, capacity: 0), Gate())
        var authorizer = try JWTAuthorizer(try await .test(), pool: pool)
        authorizer.keysTriedInPlace = 0
        let held = try await gate.occupy(pool, jobs: 1)
        let busy = try await authorizer.refusal(.test(TestTokens.pyjwtES256))
        #expect(busy?.type == .overloaded)
        #expect(busy?.retryAfter == 1)
        gate.open()
        for task in held { _ = try await task.value }
        let free = try await authorizer.refusal(.test(TestTokens.pyjwtES256))
        #expect(free == nil)
        pool.stop()
        let stopped = try await authorizer.refusal(.test(TestTokens.joserfcES256))
        #expect(stopped?.type == .unavailable)
    }
}
