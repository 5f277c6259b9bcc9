/// The source of an issuer's keys.
package enum JWKSSource: Sendable {
    /// A JWK set in a file. It is read again if its time or size changes, at most every five seconds. A file with
    /// secrets, for HS256, must fulfill the rules for secret files.
    case file(path: String, isSecret: Bool)
    /// A JWK set at a URL. It is fetched again when it is old, or when a token has an unknown key ID.
    case url(OutgoingURL)
    /// These keys, which never change.
    case fixed(VerificationKeySet)
}
