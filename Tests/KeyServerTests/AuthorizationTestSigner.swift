import Foundation
import JWTKit
import Logging

@testable import KeyServer

/// Signs valid and invalid tokens: header and payload are used unchanged.
struct TokenSigner {
    let algorithm: any JWTAlgorithm

    static func hs256(_ secret: [UInt8] = Array("a test secret, never to be used!".utf8)) async throws -> Self {
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        return Self(algorithm: try await keys.getKey())
    }

    static func rs256() async throws -> Self {
        let keys = JWTKeyCollection()
        await keys.add(rsa: try Insecure.RSA.PrivateKey(pem: TestTokens.rsaPrivateKey), digestAlgorithm: .sha256)
        return Self(algorithm: try await keys.getKey())
    }

    static func es256(_ key: ES256PrivateKey) async throws -> Self {
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: key)
        return Self(algorithm: try await keys.getKey())
    }

    func token(_ header: String, _ payload: String) throws -> String {
        let signed = TokenSigner.base64URL(Array(header.utf8)) + "." + TokenSigner.base64URL(Array(payload.utf8))
        return signed + "." + TokenSigner.base64URL(try algorithm.sign(Array(signed.utf8)))
    }

    static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

/// A P-256 key that is created for each test.
struct FreshKey {
    let id: String
    private let key = ES256PrivateKey()

    var jwk: String {
        let (x, y) = key.parameters!
        let coordinates = [x, y].map { TokenSigner.base64URL(Array(Data(base64Encoded: $0)!)) }
        return #"{"kty":"EC","crv":"P-256","kid":"\#(id)","x":"\#(coordinates[0])","y":"\#(coordinates[1])"}"#
    }

    func token(_ payload: String = TestTokens.claims) async throws -> String {
        try await TokenSigner.es256(key).token(#"{"alg":"ES256","kid":"\#(id)"}"#, payload)
    }
}

extension VerificationKeySet {
    init(_ text: String) async throws { try await self.init(json: Array(text.utf8), allowingSecrets: true) }
}

extension TokenIssuer {
    /// The issuer of ``TestTokens``.
    static func test(
        keys: String = TestTokens.keySet,
        algorithms: Set<TokenAlgorithm> = Set(TokenAlgorithm.allCases),
        allowPolicyOverride: Bool = false
    ) async throws -> Self {
        Self(
            issuer: "https://issuer.example",
            audience: "keyway",
            keys: .fixed(try await VerificationKeySet(keys)),
            algorithms: algorithms,
            clockSkew: 60,
            allowPolicyOverride: allowPolicyOverride
        )
    }
}

extension JWTAuthorizer {
    init(_ issuers: TokenIssuer..., pool: BoundedWorkPool? = nil) throws {
        try self.init(issuers: issuers, pool: pool, logger: authorizationTestLogger)
    }
}

extension PlaybackRequest {
    /// A request in the year 2023, when the test tokens are valid.
    static func test(_ token: String?, asset: String? = nil, now: Int64 = 1_700_000_000) -> Self {
        Self(
            RequestFacts(
                route: "/fps/license",
                requestID: "request-1",
                address: ClientAddress("192.0.2.1"),
                start: StartTime(milliseconds: now * 1_000, stopwatch: Stopwatch())
            ),
            token: token,
            assetID: asset.map { Array($0.utf8) }
        )
    }
}

extension PlaybackAuthorizer {
    /// Returns the problem of a request; nil if it is allowed.
    func refusal(_ request: PlaybackRequest) async throws -> ProblemDocument? {
        do {
            _ = try await authorize(request)
            return nil
        } catch let problem as ProblemDocument {
            return problem
        }
    }
}

let authorizationTestLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
