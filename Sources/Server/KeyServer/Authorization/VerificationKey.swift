import FoundationEssentials
import JWTKit
import TextCoding

/// A key that signatures are held against, for one algorithm: whatever a token's header says, this key does nothing else.
struct VerificationKey: Sendable {
    /// Why a key of a set is not used.
    enum Rejection: Error, Equatable {
        /// It is for something else: another algorithm, curve or purpose.
        case unrelated
        /// It should have been usable, and is not.
        case unusable(String)
    }

    /// The most that a modulus may have, in bits: verifying takes time that grows with its square.
    static let maximumModulusBits = 8_192

    let id: String?
    let algorithm: TokenAlgorithm
    private let verifier: any JWTAlgorithm

    /// Takes a JWK (RFC 7517).
    init(jwk value: JSONValue) async throws(Rejection) {
        guard case .object(let jwk) = value, case .string(let keyType) = jwk["kty"] else {
            throw .unusable("it is no JSON object with a kty")
        }
        guard let algorithm = TokenAlgorithm.allCases.first(where: { $0.keyType == keyType }) else { throw .unrelated }
        try Self.requirePurpose(jwk, algorithm)
        self.algorithm = algorithm
        switch jwk["kid"] {
        case nil: id = nil
        case .string(let text) where (1...200).contains(text.utf8.count): id = text
        default: throw .unusable("its kid is no text of 1 to 200 bytes")
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
            // The library's errors may show what they could not read.
            throw .unusable("its \(keyType) parameters are no valid key")
        }
        guard verifier.name == algorithm.rawValue else { throw .unusable("it does not verify \(algorithm.rawValue)") }
    }

    /// Whether the signature is this key's. It keeps a core busy for up to some hundred microseconds.
    func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        // An error means that these bytes cannot be a signature at all.
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
        guard bytes.count >= 32 else { throw .unusable("a secret for HS256 has 32 bytes or more") }
        return HMACKey(from: bytes)
    }

    private static func p256(_ jwk: JSONObject) throws -> ES256PublicKey {
        for coordinate in ["x", "y"] {
            guard try parameter(coordinate, of: jwk).count == 32 else {
                throw Rejection.unusable("a coordinate of P-256 has 32 bytes")
            }
        }
        guard case .string(let x) = jwk["x"], case .string(let y) = jwk["y"] else { throw Rejection.unrelated }
        return try ES256PublicKey(parameters: (x, y))
    }

    private static func rsa(_ jwk: JSONObject) throws -> Insecure.RSA.PublicKey {
        let modulus = try parameter("n", of: jwk).drop { $0 == 0 }
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard (2_048...maximumModulusBits).contains(bits) else {
            throw Rejection.unusable("an RSA key has 2048 to \(maximumModulusBits) bits")
        }
        let exponent = try parameter("e", of: jwk).drop { $0 == 0 }
        guard exponent.count <= 4, exponent.reduce(0, { $0 << 8 | Int($1) }) >= 3, exponent.last! & 1 == 1 else {
            throw Rejection.unusable("its RSA exponent is not odd, or not from 3 to 32 bits")
        }
        guard case .string(let n) = jwk["n"], case .string(let e) = jwk["e"] else { throw Rejection.unrelated }
        return try Insecure.RSA.PublicKey(modulus: n, exponent: e)
    }

    /// The bytes of a parameter in base64url.
    private static func parameter(_ name: String, of jwk: JSONObject) throws(Rejection) -> [UInt8] {
        guard case .string(let text) = jwk[name], let bytes = Base64.decode(text.utf8, .url) else {
            throw .unusable("its \(name) is missing or not in base64url")
        }
        return bytes
    }
}

extension VerificationKey: CustomStringConvertible, CustomReflectable {
    /// Kind and name; never the key.
    var description: String { "\(algorithm.rawValue) key \(id ?? "without a kid")" }

    /// A mirror without children, so that `dump` shows no secret either.
    var customMirror: Mirror { Mirror(self, children: []) }
}
