import FoundationEssentials
import JWTKit
import TextCoding

/// A key that verifies signatures with one algorithm, independent of a token's header.
struct VerificationKey: Sendable {
    /// The reason why a key of a set is not used.
    enum Rejection: Error, Equatable {
        /// The key has another algorithm, curve or purpose.
        case unrelated
        /// The key is invalid, although its algorithm is supported.
        case unusable(String)
    }

    /// The maximum size of a modulus, in bits: the time of a verification grows with its square.
    static let maximumModulusBits = 8_192

    let id: String?
    let algorithm: TokenAlgorithm
    private let verifier: any JWTAlgorithm

    /// Parses a JWK (RFC 7517).
    init(jwk value: JSONValue) async throws(Rejection) {
        guard case .object(let jwk) = value, case .string(let keyType) = jwk["kty"] else {
            throw .unusable("it is not a JSON object with a kty")
        }
        guard let algorithm = TokenAlgorithm.allCases.first(where: { $0.keyType == keyType }) else { throw .unrelated }
        try Self.requirePurpose(jwk, algorithm)
        self.algorithm = algorithm
        switch jwk["kid"] {
        case nil: id = nil
        case .string(let text) where (1...200).contains(text.utf8.count): id = text
        default: throw .unusable("its kid must be text of 1 to 200 bytes")
        }
        let keys = JWTKeyCollection()
        do {
            switch algorithm {
            case .hs256: await keys.add(hmac: try Self.secret(jwk), digestAlgorithm: .sha256)
            case .es256: await keys.add(ecdsa: try Self.p256(jwk))
            case .rs256: await keys.add(rsa: try Self.rsa(jwk), digestAlgorithm: .sha256)
            }
            verifier = try await keys.getKey()
        } catch let rejection as Rejection {
            throw rejection
        } catch {
            // The library's errors may contain the invalid values.
            throw .unusable("its \(keyType) parameters are not a valid key")
        }
        guard verifier.name == algorithm.rawValue else { throw .unusable("it does not verify \(algorithm.rawValue)") }
    }

    /// Returns whether the signature is valid. The verification takes up to some hundred microseconds of CPU time.
    func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        // An error means that the bytes are not a signature of this type.
        (try? verifier.verify(signature, signs: message)) ?? false
    }

    private static func requirePurpose(
        _ jwk: JSONObject,
        _ algorithm: TokenAlgorithm
    ) throws(Rejection) {
        if let name = jwk["alg"], name != .string(algorithm.rawValue) { throw .unrelated }
        if let use = jwk["use"], use != .string("sig") { throw .unrelated }
        if let operations = jwk["key_ops"] {
            guard case .array(let operations) = operations, operations.contains(.string("verify")) else {
                throw .unrelated
            }
        }
        if algorithm == .es256, jwk["crv"] != .string("P-256") { throw .unrelated }
    }

    private static func secret(_ jwk: JSONObject) throws(Rejection) -> HMACKey {
        let bytes = try parameter("k", of: jwk)
        guard bytes.count >= 32 else { throw .unusable("a secret for HS256 must have at least 32 bytes") }
        return HMACKey(from: bytes)
    }

    private static func p256(_ jwk: JSONObject) throws -> ES256PublicKey {
        for coordinate in ["x", "y"] {
            guard try parameter(coordinate, of: jwk).count == 32 else {
                throw Rejection.unusable("a coordinate of P-256 must have 32 bytes")
            }
        }
        guard case .string(let x) = jwk["x"], case .string(let y) = jwk["y"] else { throw Rejection.unrelated }
        return try ES256PublicKey(parameters: (x, y))
    }

    private static func rsa(_ jwk: JSONObject) throws -> Insecure.RSA.PublicKey {
        let modulus = try parameter("n", of: jwk).drop { $0 == 0 }
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard (2_048...maximumModulusBits).contains(bits) else {
            throw Rejection.unusable("an RSA key must have 2048 to \(maximumModulusBits) bits")
        }
        let exponent = try parameter("e", of: jwk).drop { $0 == 0 }
        guard exponent.count <= 4, exponent.reduce(0, { $0 << 8 | Int($1) }) >= 3, exponent.last! & 1 == 1 else {
            throw Rejection.unusable("its RSA exponent must be odd and have 2 to 32 bits")
        }
        guard case .string(let n) = jwk["n"], case .string(let e) = jwk["e"] else { throw Rejection.unrelated }
        return try Insecure.RSA.PublicKey(modulus: n, exponent: e)
    }

    /// Returns the bytes of a base64url parameter.
    private static func parameter(_ name: String, of jwk: JSONObject) throws(Rejection) -> [UInt8] {
        guard case .string(let text) = jwk[name], let bytes = Base64.decode(text.utf8, .base64url) else {
            throw .unusable("its \(name) is missing or not valid base64url")
        }
        return bytes
    }
}

extension VerificationKey: CustomStringConvertible, CustomReflectable {
    /// The algorithm and the key ID, never the key.
    var description: String { "\(algorithm.rawValue) key \(id ?? "without a kid")" }

    /// A mirror without children, so that `dump` does not print a secret.
    var customMirror: Mirror { Mirror(self, children: []) }
}
