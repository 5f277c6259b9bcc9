import KeyStore

/// The claims of a token. The initializer checks their types and bounds. ``authorization(for:)`` checks whether they
/// permit a request.
struct TokenClaims {
    private let issuer: TokenIssuer
    private let audiences: [String]
    private let notBefore: Int64
    private let issuedAt: Int64
    private var authorization: PlaybackAuthorization

    /// Returns the `iss` claim without verifying the token.
    ///
    /// - Throws: ``ProblemType/tokenClaims`` if the claim is missing or invalid.
    static func issuer(of token: CompactToken) throws(ProblemDocument) -> String {
        do throws(AuthorizationFields.FieldError) {
            return try AuthorizationFields.required(
                "iss",
                AuthorizationFields(token.claims).text("iss", bytes: 1...500)
            )
        } catch {
            throw ProblemDocument(claim: error)
        }
    }

    /// Returns the `sub` claim; nil if it is missing or invalid.
    static func account(of token: CompactToken) -> String? {
        try? AuthorizationFields(token.claims).text("sub", bytes: accountSizes)
    }

    /// The valid sizes of an account, in bytes.
    private static let accountSizes = 1...200

    /// Reads the claims of a verified token.
    ///
    /// - Throws: ``ProblemType/tokenClaims`` if a claim is missing or invalid.
    init(_ token: CompactToken, issuer: TokenIssuer) throws(ProblemDocument) {
        self.issuer = issuer
        let fields = AuthorizationFields(token.claims)
        do throws(AuthorizationFields.FieldError) {
            audiences = try AuthorizationFields.required("aud", fields.texts("aud", bytes: 1...500))
            let expires = try AuthorizationFields.required("exp", fields.time("exp"))
            notBefore = try fields.time("nbf") ?? 0
            issuedAt = try fields.time("iat") ?? 0
            authorization = PlaybackAuthorization(
                account: try AuthorizationFields.required("sub", fields.text("sub", bytes: Self.accountSizes)),
                expires: expires
            )
            try fields.addLimits(to: &authorization)
            authorization.allowPolicyOverride = issuer.allowPolicyOverride
            let tokenID = try fields.text("jti", bytes: 1...200)
            if try fields.bool("once") == true {
                // The token is accepted until its expiry time plus the clock skew. Its binding to the first account,
                // device and session that use it must be stored for the same time.
                authorization.binding = TokenBindingClaim(
                    issuer: issuer.issuer,
                    tokenID: try AuthorizationFields.required("jti", tokenID),
                    expires: expires + issuer.clockSkew
                )
            }
        } catch {
            throw ProblemDocument(claim: error)
        }
    }

    /// Returns the permissions of the token, if it is valid for this server, this time and this request.
    ///
    /// - Throws: ``ProblemType/tokenAudience``, ``ProblemType/tokenExpired``, ``ProblemType/tokenNotYetValid``,
    ///   ``ProblemType/tokenAsset``.
    func authorization(for request: PlaybackRequest) throws(ProblemDocument) -> PlaybackAuthorization {
        guard audiences.contains(issuer.audience) else { throw ProblemDocument(.tokenAudience) }
        guard max(notBefore, issuedAt) <= request.now + issuer.clockSkew else {
            throw ProblemDocument(.tokenNotYetValid)
        }
        try authorization.require(fits: request, skew: issuer.clockSkew)
        return authorization
    }
}

extension ProblemDocument {
    /// Creates a problem document for a missing or invalid claim. Its detail contains the name and the expected type of
    /// the claim, but not its value.
    init(claim error: AuthorizationFields.FieldError) {
        self.init(.tokenClaims, detail: "\(error.field): expected \(error.expectation).", reason: error.field)
    }
}
