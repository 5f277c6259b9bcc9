/// The supported signature algorithms of tokens (RFC 7518). `none` is not supported.
package enum TokenAlgorithm: String, Sendable, CaseIterable {
    /// HMAC with SHA-256: issuer and server share a secret of 32 bytes or more.
    case hs256 = "HS256"
    /// ECDSA over P-256 with SHA-256.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256, 2048 bits or more.
    case rs256 = "RS256"

    /// The `kty` of the algorithm's keys in a JWK.
    var keyType: String {
        switch self {
        case .hs256: "oct"
        case .es256: "EC"
        case .rs256: "RSA"
        }
    }
}
