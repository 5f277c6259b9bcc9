/// A trusted issuer of tokens, with the limits of the trust.
package struct TokenIssuer: Sendable {
    /// The exact value of the token's `iss`.
    package var issuer: String
    /// The value that the token's `aud` must equal or contain.
    package var audience: String
    /// The source of the keys.
    package var keys: JWKSSource
    /// The signature algorithms of the issuer. One is best, because other algorithms are then refused.
    package var algorithms: Set<TokenAlgorithm>
    /// The maximum error of the issuer's clock, in seconds: 0 to 600.
    package var clockSkew: Int64
    /// True if a policy that a token names may be less strict than the content's.
    package var allowPolicyOverride: Bool

    /// Creates an issuer.
    package init(
        issuer: String,
        audience: String,
        keys: JWKSSource,
        algorithms: Set<TokenAlgorithm>,
        clockSkew: Int64,
        allowPolicyOverride: Bool = false
    ) {
        self.issuer = issuer
        self.audience = audience
        self.keys = keys
        self.algorithms = algorithms
        self.clockSkew = clockSkew
        self.allowPolicyOverride = allowPolicyOverride
    }

    /// Checks the bounds of the fields.
    func validate() throws(AuthorizationConfigurationError) {
        guard (1...500).contains(issuer.utf8.count), (1...500).contains(audience.utf8.count) else {
            throw AuthorizationConfigurationError("issuer and audience must have 1 to 500 bytes each")
        }
        guard !algorithms.isEmpty else { throw AuthorizationConfigurationError("issuer \(issuer) has no algorithms") }
        guard (0...600).contains(clockSkew) else {
            throw AuthorizationConfigurationError("the clock skew of issuer \(issuer) must be 0 to 600 seconds")
        }
        if case .url = keys, algorithms.contains(.hs256) {
            throw AuthorizationConfigurationError(
                "issuer \(issuer) uses HS256: its secret must be in a file, because a URL would publish it"
            )
        }
    }
}

/// An error in the configuration of authorization. It contains no secrets.
package struct AuthorizationConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The message for the operator.
    package let description: String

    init(_ description: String) { self.description = description }
}
