/// The authorizer for `--dev` only: allows every request, for the account in its token or, without one, `development`.
///
/// | Token | Account |
/// |---|---|
/// | none | `development` |
/// | `dev:ACCOUNT` | ACCOUNT, 1 to 200 bytes |
/// | a token in JWT format | the result of `tokens`; without `tokens` it is refused |
///
/// Other tokens are refused, so that an invalid token is not treated like a missing one.
package struct DevelopmentAuthorizer: PlaybackAuthorizer {
    private let tokens: (any PlaybackAuthorizer)?

    /// Creates an authorizer; `tokens` authorizes requests with a JWT.
    package init(tokens: (any PlaybackAuthorizer)? = nil) { self.tokens = tokens }

    /// Fetches the keys of the token issuers.
    package func warmUp() async -> [String] { await tokens?.warmUp() ?? [] }

    /// The condition of the authorizer for JWTs.
    package var condition: AuthorizerCondition { tokens?.condition ?? AuthorizerCondition() }

    /// Authorizes a request by its token.
    package func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        let expires = request.now + 86_400
        guard let token = request.token, !token.isEmpty else {
            return PlaybackAuthorization(account: "development", expires: expires)
        }
        if token.hasPrefix("dev:") {
            let account = String(token.dropFirst(4))
            guard AuthorizationFields.isPlain(account, 1...200) else {
                throw ProblemDocument.malformedToken("dev: must be followed by an account of 1 to 200 bytes.")
            }
            return PlaybackAuthorization(account: account, expires: expires)
        }
        guard let tokens, token.split(separator: ".", omittingEmptySubsequences: false).count == 3 else {
            throw ProblemDocument.malformedToken("A development token must be dev: followed by an account.")
        }
        return try await tokens.authorize(request)
    }
}
