import KeyStore
import Testing

@testable import KeyServer

@Suite("Authorization: tokens")
struct AuthorizationTokenTests {
    @Test(
        "Tokens of other implementations are accepted, with all their claims",
        arguments: [
            TestTokens.pyjwtHS256, TestTokens.pyjwtES256, TestTokens.pyjwtRS256, TestTokens.pyjwtES256WithoutKeyID,
            TestTokens.joserfcES256, TestTokens.joserfcRS256, TestTokens.opensslRS256,
        ]
    )
    func foreign(token: String) async throws {
        let authorizer = try JWTAuthorizer(try await .test(), pool: BoundedWorkPool(threads: 1, capacity: 8))
        let authorization = try await authorizer.authorize(.test(token, asset: "movie"))
        var expected = PlaybackAuthorization(account: "viewer-1", expires: 4_102_444_800)
        expected.notAfter = 4_102_440_000
        expected.assets = ["movie"]
        expected.title = "a-title"
        expected.policyName = "premium"
        expected.device = Array(0..<16)
        expected.persist = false
        expected.rentalStart = 1_600_000_001
        expected.binding = TokenBindingClaim(
            issuer: "https://issuer.example",
            tokenID: "token-1",
            expires: 4_102_444_860
        )
        #expect(authorization == expected)
    }

    @Test("There can be several audiences, times can have fractions, unknown claims are ignored")
    func lenient() async throws {
        let payload = """
            {"iss": "https://issuer.example", "aud": ["other", "keyway"], "sub": "ü", "exp": 1700000100.9,
             "nbf": 1.7e9, "extra": {"a": [1]}}
            """
        let authorizer = try JWTAuthorizer(try await .test(allowPolicyOverride: true))
        let token = try await TokenSigner.hs256().token(#"{"alg":"HS256","typ":"anything","jku":"x"}"#, payload)
        var expected = PlaybackAuthorization(account: "ü", expires: 1_700_000_100)
        expected.allowPolicyOverride = true
        let authorization = try await authorizer.authorize(.test(token))
        #expect(authorization == expected)
    }

    @Test("The clock difference may be as large as the skew")
    func skew() async throws {
        let authorizer = try JWTAuthorizer(try await .test())
        let payload = #"{"iss":"https://issuer.example","aud":"keyway","sub":"a","nbf":1000000,"exp":1000100}"#
        let token = try await TokenSigner.hs256().token(#"{"alg":"HS256"}"#, payload)
        let expected: [(Int64, ProblemType?)] = [
            (999_939, .tokenNotYetValid), (999_940, nil), (1_000_159, nil), (1_000_160, .tokenExpired),
        ]
        for (now, type) in expected {
            let refusal = try await authorizer.refusal(.test(token, now: now))
            #expect(refusal?.type == type)
        }
    }

    @Test("Issuers have their own keys, algorithms and roles")
    func issuers() async throws {
        let key = FreshKey(id: "ec-1")
        var second = try await TokenIssuer.test(
            keys: #"{"keys":[\#(key.jwk)]}"#,
            algorithms: [.es256],
            allowPolicyOverride: true
        )
        second.issuer = "second"
        let authorizer = try JWTAuthorizer(try await .test(), second)
        let payload = #"{"iss":"second","aud":"keyway","sub":"a","exp":1700000100}"#
        let allowPolicyOverride = try await authorizer.authorize(.test(try await key.token(payload)))
            .allowPolicyOverride
        #expect(allowPolicyOverride)
        // The keys of each issuer are not valid for the other.
        let foreign = try await TokenSigner.rs256().token(#"{"alg":"RS256","kid":"rsa-1"}"#, payload)
        var refusal = try await authorizer.refusal(.test(foreign))
        #expect(refusal?.type == .tokenAlgorithm)
        let claimed = payload.replacing("second", with: "https://issuer.example")
        refusal = try await authorizer.refusal(.test(try await key.token(claimed)))
        #expect(refusal?.type == .tokenSignature)
    }

    @Test("A signature is verified once, everything else each time")
    func verifiedOnce() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 8)
        var authorizer = try JWTAuthorizer(try await .test(), pool: pool)
        authorizer.keysTriedInPlace = 0
        _ = try await authorizer.authorize(.test(TestTokens.pyjwtES256))
        pool.stop()
        var refusal = try await authorizer.refusal(.test(TestTokens.pyjwtES256))
        #expect(refusal == nil)
        refusal = try await authorizer.refusal(.test(TestTokens.joserfcES256))
        #expect(refusal?.type == .unavailable)
        refusal = try await authorizer.refusal(.test(TestTokens.pyjwtES256, asset: "other"))
        #expect(refusal?.type == .tokenAsset)
        refusal = try await authorizer.refusal(.test(TestTokens.pyjwtES256, now: 4_102_444_860))
        #expect(refusal?.type == .tokenExpired)
        let broken = TestTokens.pyjwtES256.dropLast(4) + "AAAA"
        refusal = try await authorizer.refusal(.test(String(broken)))
        #expect(refusal?.type == .unavailable)
    }

    @Test("Two tokens have the same binding only if issuer and ID are equal")
    func bindingNames() {
        let claims = [("a", "bc"), ("ab", "c"), ("", "abc"), ("a", "bd")].map {
            TokenBindingClaim(issuer: $0.0, tokenID: $0.1, expires: 1).token
        }
        #expect(Set(claims).count == 4)
        #expect(claims.allSatisfy { $0.count == 32 })
    }

    @Test("An authorization for an asset, title or device is valid only for these")
    func requirements() throws {
        var authorization = PlaybackAuthorization(account: "a", expires: 1)
        let (movie, other) = (Array("movie".utf8), Array("other".utf8))
        let device = try #require(DeviceHash(stored: Array(0..<16)))
        let another = try #require(DeviceHash(stored: Array(1...16)))
        func type(_ asset: [UInt8], _ title: String?, _ hash: DeviceHash?) -> ProblemType? {
            problem { () throws(ProblemDocument) in
                try authorization.require(assetID: asset, title: title, deviceHash: hash)
            }?.type
        }
        #expect(type(other, nil, nil) == nil)
        authorization.assets = ["movie", "trailer"]
        #expect(type(movie, nil, nil) == nil)
        #expect(type(other, nil, nil) == .tokenAsset)
        authorization.title = "t"
        #expect(type(movie, "t", nil) == nil)
        #expect(type(movie, "u", nil) == .tokenAsset)
        #expect(type(movie, nil, nil) == .tokenAsset)
        authorization.device = device.bytes
        #expect(type(movie, "t", device) == nil)
        #expect(type(movie, "t", another) == .tokenDevice)
        #expect(type(movie, "t", nil) == .tokenDevice)
        authorization.assets = []
        #expect(type(movie, "t", device) == .tokenAsset)
    }
}
