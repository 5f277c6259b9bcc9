/// The authorizer for `--dev` without a configured authorization: allows every request, for the account in its token or,
/// without one, `development`.
///
/// | Token | Account |
/// |---|---|
/// | none | `development` |
/// | `dev:ACCOUNT` | ACCOUNT, 1 to 200 bytes |
///
/// Other tokens are refused, so that an invalid token is not treated like a missing one.
package struct DevelopmentAuthorizer: PlaybackAuthorizer {
    /// Creates an authorizer.
    package init() {}

    /// Authorizes a request by its token.
    package func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        let expires = request.now + 86_400
        guard let token = request.token, !token.isEmpty else {
            return PlaybackAuthorization(account: "development", expires: expires)
        }
        guard token.hasPrefix("dev:") else {
            throw ProblemDocument.malformedToken("A development token must be dev: followed by an account.")
        }
        let account = String(token.dropFirst(4))
        guard AuthorizationFields.isPlain(account, 1...200) else {
            throw ProblemDocument.malformedToken("dev: must be followed by an account of 1 to 200 bytes.")
        }
        return PlaybackAuthorization(account: account, expires: expires)
    }
}
