import FPSCrypto
import Foundation
import JWTKit
import TextCoding
import ToolSupport

/// The claims of a playback token, as `keyway-server` reads them.
struct PlaybackClaims: JWTPayload {
    var sub: String
    var iat: Int64
    var exp: Int64
    var jti: String
    var iss: String?
    var aud: String?
    var assets: [String]?
    var title: String?
    var policy: String?
    var device: String?
    var persist: Bool?
    var once: Bool?

    init(account: String, lifetime: Int64) {
        let now = Int64(Date().timeIntervalSince1970)
        sub = account
        iat = now
        exp = now + lifetime
        jti = UUID().uuidString.lowercased()
    }

    /// Does nothing, because tokens are only signed here.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}

/// A signer of playback tokens, as a streaming service's backend would use.
struct PlaybackTokenSigner: Sendable {
    /// The JSON Web Key Set that verifies the tokens. With a shared secret, it contains the secret.
    let keySet: JSONValue
    /// True if ``keySet`` is a secret.
    let keySetIsSecret: Bool
    private let keys = JWTKeyCollection()
    private let kid: String

    /// Creates a signer with an ECDSA key on P-256 (ES256).
    init(es256 key: ES256PrivateKey) async throws {
        guard let point = key.parameters, let x = Base64.decode(point.x, .lenient),
            let y = Base64.decode(point.y, .lenient)
        else { throw CommandFailure.input("the token key has no public point") }
        kid = Hexadecimal.encode(SHA256.hash(Array((point.x + point.y).utf8)).prefix(8))
        keySetIsSecret = false
        keySet = Self.set([
            "kty": .string("EC"), "crv": .string("P-256"), "alg": .string("ES256"), "use": .string("sig"),
            "kid": .string(kid), "x": .string(Base64.encodeURLSafe(x)), "y": .string(Base64.encodeURLSafe(y)),
        ])
        await keys.add(ecdsa: key, kid: JWKIdentifier(string: kid))
    }

    /// Creates a signer with a shared secret (HS256).
    init(hs256 secret: [UInt8]) async throws {
        guard secret.count >= 32 else {
            throw CommandFailure.input(
                "the secret for HS256 has only \(counted(secret.count, "byte"))",
                next: "give at least 32 bytes"
            )
        }
        kid = "shared"
        keySetIsSecret = true
        keySet = Self.set([
            "kty": .string("oct"), "alg": .string("HS256"), "use": .string("sig"), "kid": .string(kid),
            "k": .string(Base64.encodeURLSafe(secret)),
        ])
        await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256, kid: JWKIdentifier(string: kid))
    }

    /// Returns a signed token.
    func token(_ claims: PlaybackClaims) async throws -> String {
        try await keys.sign(claims, kid: JWKIdentifier(string: kid))
    }

    private static func set(_ key: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(["keys": .array([.object(JSONObject(key))])])
    }
}
