/// Where an issuer's keys are.
package enum JWKSSource: Sendable {
    /// A JWK set in a file. It is looked at again when its time or size changes, at most every five seconds. One with
    /// secrets, for HS256, follows the rule for files with secrets.
    case file(path: String, isSecret: Bool)
    /// A JWK set at a URL. It is fetched again when it is old, or when a token names a key that it has not.
    case url(OutgoingURL)
    /// These keys and no others.
    case fixed(VerificationKeySet)
}
