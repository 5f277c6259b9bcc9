/// Somebody whose tokens are believed, and in what.
package struct TokenIssuer: Sendable {
    /// The token's `iss`, exactly.
    package var issuer: String
    /// What the token's `aud` must be, or hold.
    package var audience: String
    /// Where the keys are.
    package var keys: JWKSSource
    /// The signatures that the issuer uses. Keep it to one: it is what stops a token that is signed some other way.
    package var algorithms: Set<TokenAlgorithm>
    /// How far the issuer's clock may be off, in seconds: 0 to 600.
    package var clockSkew: Int64
    /// Whether a policy that its token names may be looser than the content's.
    package var mayLoosen: Bool

    /// Names an issuer.
    package init(
        issuer: String,
        audience: String,
        keys: JWKSSource,
        algorithms: Set<TokenAlgorithm>,
        clockSkew: Int64,
        mayLoosen: Bool = false
    ) {
        self.issuer = issuer
        self.audience = audience
        self.keys = keys
        self.algorithms = algorithms
        self.clockSkew = clockSkew
        self.mayLoosen = mayLoosen
    }

    /// Holds the fields to their bounds.
    func validate() throws(AuthorizationConfigurationError) {
        guard (1...500).contains(issuer.utf8.count), (1...500).contains(audience.utf8.count) else {
            throw AuthorizationConfigurationError("issuer and audience have 1 to 500 bytes each")
        }
        guard !algorithms.isEmpty else { throw AuthorizationConfigurationError("issuer \(issuer) has no algorithm") }
        guard (0...600).contains(clockSkew) else {
            throw AuthorizationConfigurationError("the clock skew of issuer \(issuer) is not 0 to 600 seconds")
        }
        if case .url = keys, algorithms.contains(.hs256) {
            throw AuthorizationConfigurationError(
                "issuer \(issuer) uses HS256: its secret is shared in a file, since a URL would publish it"
            )
        }
    }
}

/// What is wrong with how authorization is configured. It holds no secret.
package struct AuthorizationConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// In words, for the operator.
    package let description: String

    init(_ description: String) { self.description = description }
}
