/// For `--dev` alone: lets everybody in who names an account, and who names none as `development`.
///
/// | Token | Account |
/// |---|---|
/// | none | `development` |
/// | `dev:ACCOUNT` | ACCOUNT, 1 to 200 bytes |
/// | one that looks like a JWT | what `tokens` makes of it; without `tokens` it is refused |
///
/// Everything else is refused, so that a token which is meant to be real is not taken for none.
package struct DevelopmentAuthorizer: PlaybackAuthorizer {
    private let tokens: (any PlaybackAuthorizer)?

    /// Makes an authorizer; `tokens` takes what looks like a JWT.
    package init(tokens: (any PlaybackAuthorizer)? = nil) { self.tokens = tokens }

    /// Fetches the keys of who signs tokens.
    package func warmUp() async -> [String] { await tokens?.warmUp() ?? [] }

    /// The condition of what takes real tokens.
    package var condition: AuthorizerCondition { tokens?.condition ?? AuthorizerCondition() }

    /// Reads the token.
    package func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        let expires = request.now + 86_400
        guard let token = request.token, !token.isEmpty else {
            return PlaybackAuthorization(account: "development", expires: expires)
        }
        if token.hasPrefix("dev:") {
            let account = String(token.dropFirst(4))
            guard AuthorizationFields.isPlain(account, 1...200) else {
                throw ProblemDocument.malformedToken("Behind dev: stands an account of 1 to 200 bytes.")
            }
            return PlaybackAuthorization(account: account, expires: expires)
        }
        guard let tokens, token.split(separator: ".", omittingEmptySubsequences: false).count == 3 else {
            throw ProblemDocument.malformedToken("A development token is dev: and an account.")
        }
        return try await tokens.authorize(request)
    }
}
