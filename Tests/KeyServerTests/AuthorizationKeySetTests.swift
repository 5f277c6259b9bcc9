import Testing
import TextCoding

@testable import KeyServer

@Suite("Authorization: key sets")
struct AuthorizationKeySetTests {
    /// RFC 7515, appendices A.1 to A.3: each token and its key.
    static let rfc7515 = [
        (
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
                + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
            #"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}"#
        ),
        (
            "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290"
                + "Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5"
                + "jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0Gar"
                + "ZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rq"
                + "Vt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
            #"{"kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrc"#
                + "S2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5"
                + "z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWN"
                + #"moudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}"#
        ),
        (
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290"
                + "Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
                + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
        ),
    ]

    @Test("The examples of RFC 7515 verify, and not with each other's keys", arguments: rfc7515)
    func examples(token: String, key: String) async throws {
        let token = try CompactToken(token)
        let keys = try await VerificationKeySet(#"{"keys":[\#(key)]}"#)
        let key = try #require(try keys.candidates(for: token).first)
        #expect(key.verifies(token.signature, over: token.signedPart))
        #expect(!key.verifies(token.signature, over: token.signedPart + [0]))
        #expect(token.claims["iss"] == .string("joe"))
        let others = try await VerificationKeySet(TestTokens.keySet)
        for other in others.keys {
            #expect(!other.verifies(token.signature, over: token.signedPart))
        }
    }

    @Test("Of the set in RFC 7517, A.1, only the key for signatures is used")
    func set() async throws {
        let keys = try await VerificationKeySet(
            #"{"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","#
                + #""y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","use":"enc","kid":"1"},"#
                + #"{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tS"#
                + "oc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368"
                + "QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XP"
                + #"ksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}]}"#
        )
        #expect(keys.keys.map(\.id) == ["2011-04-29"])
        #expect(keys.warnings.isEmpty)
    }

    @Test("Keys for other purposes are ignored, and weak or invalid keys are skipped with a warning")
    func skipped() async throws {
        let unrelated = [
            TestTokens.p384Key, #"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#,
            TestTokens.rsaKey.replacing("RS256", with: "PS256"),
            TestTokens.p256Key.replacing(#""sig""#, with: #""enc""#),
            TestTokens.p256Key.replacing(#""use":"sig""#, with: #""key_ops":["sign"]"#),
        ]
        let broken = [
            TestTokens.weakRSAKey, #"{"kty":"oct","k":"c2hvcnQ"}"#, #"{"kty":"oct"}"#, "1", "{}", #"{"kty":1}"#,
            TestTokens.p256Key.replacing(#""kid":"ec-1""#, with: #""kid":1"#),
            // Not on the curve, not of its size, not odd, and a modulus that is not text.
            #"{"kty":"EC","crv":"P-256","x":"\#(TokenSigner.base64URL([UInt8](repeating: 1, count: 32)))","y":"\#(TokenSigner.base64URL([UInt8](repeating: 2, count: 32)))"}"#,
            #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#, TestTokens.rsaKey.replacing("AQAB", with: "Ag"),
            TestTokens.rsaKey.replacing("AQAB", with: "AQ"), TestTokens.rsaKey.replacing("AQAB", with: ""),
            #"{"kty":"RSA","e":"AQAB","n":7}"#,
            #"{"kty":"RSA","e":"AQAB","n":"\#(TokenSigner.base64URL([UInt8](repeating: 255, count: 1_025)))"}"#,
        ]
        let set = #"{"keys":[\#((unrelated + broken + [TestTokens.secretKey]).joined(separator: ","))]}"#
        let keys = try await VerificationKeySet(set)
        #expect(keys.keys.map(\.id) == ["hs-1"])
        #expect(keys.warnings.count == broken.count)
        #expect(!keys.warnings.joined().contains("c2hvcnQ"))
    }

    @Test(
        "A set without a usable key is refused",
        arguments: [
            "", "{", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[\#(TestTokens.weakRSAKey)]}"#,
            #"{"keys":[\#(Array(repeating: TestTokens.p256Key, count: 101).joined(separator: ","))]}"#,
            #"{"keys":[\#(TestTokens.p256Key)],"a":"\#(String(repeating: "a", count: 262_144))"}"#,
            #"{"keys":\#(String(repeating: "[", count: 100_000))"#,
        ]
    )
    func refused(text: String) async {
        await #expect(throws: VerificationKeySet.Invalid.self) { _ = try await VerificationKeySet(text) }
    }

    @Test("Secrets are accepted from files only")
    func secrets() async throws {
        let keys = try await VerificationKeySet(json: Array(TestTokens.keySet.utf8), allowingSecrets: false)
        #expect(keys.keys.map(\.id) == ["rsa-1", "ec-1"])
        let url = try OutgoingURL("https://issuer.example/keys")
        let issuer = TokenIssuer(issuer: "a", audience: "b", keys: .url(url), algorithms: [.hs256], clockSkew: 30)
        #expect(throws: AuthorizationConfigurationError.self) { try issuer.validate() }
    }

    @Test("The description of a key contains its ID only")
    func description() async throws {
        let keys = try await VerificationKeySet(TestTokens.keySet)
        var text = ""
        dump(keys, to: &text)
        text += "\(keys)" + keys.keys.map { String(reflecting: $0) }.joined()
        #expect(!text.contains("97, 32, 116") && !text.lowercased().contains("symmetric"))
    }

    @Test("Verified signatures are cached: the last ones, and only for their own set of keys")
    func verified() async throws {
        let (first, second) = (
            try await VerificationKeySet(TestTokens.keySet), try await VerificationKeySet(TestTokens.keySet)
        )
        let verified = VerifiedTokens(capacity: 4)
        verified.insert([0], keys: first.identity)
        #expect(verified.contains([0], keys: first.identity))
        #expect(!verified.contains([1], keys: first.identity))
        #expect(!verified.contains([0], keys: second.identity))
        for byte: UInt8 in 1...7 {
            verified.insert([byte], keys: first.identity)
            #expect(verified.contains([0], keys: first.identity))
        }
        for byte: UInt8 in 10...18 { verified.insert([byte], keys: first.identity) }
        #expect(!verified.contains([0], keys: first.identity))
        #expect(verified.contains([18], keys: first.identity))
        verified.insert([0], keys: second.identity)
        #expect(!verified.contains([18], keys: first.identity))
    }

    @Test("The server sends requests to https, and http on its own host")
    func urls() throws {
        for text in [
            "https://a", "https://a.example:8443/x?y=z", "http://127.0.0.1:1/", "http://[::1]/", "http://localhost/a",
        ] {
            let url = try OutgoingURL(text)
            #expect(!url.description.contains("y=z"))
        }
        for text in [
            "", "a", "/a", "http://a/", "http://127.0.0.1.evil.example/", "http://localhost@evil.example/", "ftp://a",
            "https://", "https:///a", "https://user@a/", "https://user:pass@a/", "https://a/#b", "file:///etc/passwd",
            "http+unix://%2Fvar", "unix:/a", "http://0.0.0.0/", "https://a/" + String(repeating: "a", count: 2_000),
        ] {
            #expect(throws: AuthorizationConfigurationError.self) { _ = try OutgoingURL(text) }
        }
    }
}
