import TextCoding

/// The claims of a playback token about its validity, issuer and audience. The signature is not verified: only the server
/// has the issuer's keys.
struct PlaybackTokenClaims: Sendable {
    /// The time from which on the token is not valid, in seconds since 1970 (`exp`).
    let expiry: Int64?
    /// The time from which on it is valid (`nbf`).
    let start: Int64?
    /// The issuer (`iss`).
    let issuer: String?
    /// The audiences (`aud`).
    let audiences: [String]
    /// The signature algorithm (`alg`).
    let algorithm: String?

    /// The maximum size of a token in bytes.
    private static let maximumSize = 16_384

    /// Parses a JWT in compact form (RFC 7519, section 7.2); nil for other texts.
    init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard token.utf8.count <= Self.maximumSize, parts.count == 3, let header = Self.json(parts[0]),
            let claims = Self.json(parts[1])
        else { return nil }
        func seconds(_ name: String) -> Int64? {
            switch claims[name] {
            case .integer(let value)?: Int64(value)
            case .number(let value)?: Int64(exactly: value.rounded())
            default: nil
            }
        }
        (expiry, start) = (seconds("exp"), seconds("nbf"))
        (issuer, algorithm) = (claims["iss"]?.text, header["alg"]?.text)
        audiences = claims["aud"]?.text.map { [$0] } ?? claims["aud"]?.items?.compactMap(\.text) ?? []
    }

    private static func json(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64.decode(part, [.urlSafeAlphabet, .missingPadding]),
            let value = try? JSONValue(parsing: bytes, maximumDepth: 8, maximumSize: maximumSize), case .object = value
        else { return nil }
        return value
    }
}
