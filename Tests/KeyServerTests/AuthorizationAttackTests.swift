import Foundation
import JWTKit
import Testing

@testable import KeyServer

@Suite("Authorization: forged tokens")
struct AuthorizationAttackTests {
    /// The expected refusals of a tampered token.
    static let tokenProblems: Set<ProblemType> = [
        .tokenMalformed, .tokenAlgorithm, .tokenSignature, .tokenUnknownKey, .tokenIssuer, .tokenClaims,
    ]

    @Test("Every flipped bit of a token is detected", arguments: [TestTokens.pyjwtHS256, TestTokens.joserfcES256])
    func flippedBits(token: String) async throws {
        let authorizer = try JWTAuthorizer(try await .test())
        let bytes = Array(token.utf8)
        for index in bytes.indices {
            for bit in 0..<7 {
                var broken = bytes
                broken[index] ^= 1 << bit
                let refusal = try await authorizer.refusal(.test(String(decoding: broken, as: UTF8.self)))
                let type = try #require(refusal?.type, "byte \(index), bit \(bit)")
                #expect(Self.tokenProblems.contains(type))
            }
        }
    }

    @Test("Every truncation of a token, and every appended byte, is detected", arguments: [TestTokens.opensslRS256])
    func truncations(token: String) async throws {
        let authorizer = try JWTAuthorizer(try await .test())
        for count in 1..<token.utf8.count {
            let type = try await authorizer.refusal(.test(String(token.prefix(count))))?.type
            #expect(type.map { Self.tokenProblems.contains($0) } == true)
        }
        for suffix in ["A", "=", "==", ".", " ", "\n", "AAAA", ".AAAA", "\0"] {
            let type = try await authorizer.refusal(.test(token + suffix))?.type
            #expect(type.map { Self.tokenProblems.contains($0) } == true)
        }
    }

    @Test("A public key is not accepted as a secret: HS256 with its PEM, DER or modulus fails")
    func confusion() async throws {
        // An issuer with both kinds of keys, so that only the kind of the key prevents the attack.
        let authorizer = try JWTAuthorizer(try await .test())
        var refusal = try await authorizer.refusal(.test(TestTokens.confusedHS256))
        #expect(refusal?.type == .tokenAlgorithm)

        let key = try Insecure.RSA.PrivateKey(pem: TestTokens.rsaPrivateKey).publicKey
        let (modulus, _) = try key.getKeyPrimitives()
        let secrets = [
            Array(key.pemRepresentation.utf8), Array((key.pemRepresentation + "\n").utf8),
            Array(key.derRepresentation), Array(modulus), Array(TestTokens.rsaKey.utf8),
        ]
        for secret in secrets {
            for (header, type) in [
                (#"{"alg":"HS256","kid":"rsa-1"}"#, ProblemType.tokenAlgorithm),
                (#"{"alg":"HS256"}"#, .tokenSignature), (#"{"alg":"HS256","kid":"hs-1"}"#, .tokenSignature),
            ] {
                let token = try await TokenSigner.hs256(secret).token(header, TestTokens.claims)
                refusal = try await authorizer.refusal(.test(token))
                #expect(refusal?.type == type)
            }
        }
        // If the issuer has one algorithm, another one is refused before any key is used.
        let strict = try JWTAuthorizer(try await .test(algorithms: [.rs256]))
        refusal = try await strict.refusal(.test(TestTokens.pyjwtHS256))
        #expect(refusal?.type == .tokenAlgorithm)
        #expect(refusal?.auditDetail == "issuer https://issuer.example")
        refusal = try await strict.refusal(.test(TestTokens.pyjwtES256))
        #expect(refusal?.type == .tokenAlgorithm)
    }

    @Test("A token that contains a key is verified with the issuer's keys")
    func ownKey() async throws {
        let authorizer = try JWTAuthorizer(try await .test())
        let key = FreshKey(id: "mine")
        for header in [
            #"{"alg":"ES256","jwk":\#(key.jwk)}"#, #"{"alg":"ES256","jku":"https://evil.example/keys"}"#,
            #"{"alg":"ES256","x5u":"https://evil.example/keys"}"#, #"{"alg":"ES256","kid":"../../../dev/null"}"#,
        ] {
            let signer = try await TokenSigner.es256(ES256PrivateKey())
            let refusal = try await authorizer.refusal(.test(try signer.token(header, TestTokens.claims)))
            #expect(refusal?.type == .tokenSignature || refusal?.type == .tokenUnknownKey)
        }
    }

    @Test("Signatures of zeros, of other sizes and without bytes are invalid")
    func trivialSignatures() async throws {
        let authorizer = try JWTAuthorizer(try await .test())
        for (token, sizes) in [
            (TestTokens.pyjwtES256, [0, 1, 32, 63, 64, 65, 72, 128]), (TestTokens.pyjwtRS256, [0, 1, 255, 256, 257]),
            (TestTokens.pyjwtHS256, [0, 1, 31, 32, 33]),
        ] {
            let signed = token.split(separator: ".").prefix(2).joined(separator: ".")
            for size in sizes {
                let signature = TokenSigner.base64URL([UInt8](repeating: 0, count: size))
                let refusal = try await authorizer.refusal(.test("\(signed).\(signature)"))
                #expect(refusal?.type == .tokenSignature)
            }
        }
    }

    @Test("Without a kid at most eight keys are tried")
    func tries() async throws {
        let key = FreshKey(id: "last")
        let others = (0..<8).map { FreshKey(id: "other-\($0)").jwk }
        let token = try await key.token()
        let signer = try await TokenSigner.es256(ES256PrivateKey())
        let nameless = try signer.token(#"{"alg":"ES256"}"#, TestTokens.claims)
        let keys = try await VerificationKeySet(#"{"keys":[\#((others + [key.jwk]).joined(separator: ","))]}"#)
        let tried = try keys.candidates(for: CompactToken(nameless)).count
        #expect(tried == 8)
        let named = try keys.candidates(for: CompactToken(token)).map(\.id)
        #expect(named == ["last"])
    }
}
