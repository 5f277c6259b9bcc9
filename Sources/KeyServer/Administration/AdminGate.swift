import HTTPTypes
import Hummingbird
import KeyStore
import Logging

/// Lets a request to administration pass when its token allows what the route does: `Authorization: Bearer TOKEN`.
struct AdminGate: Sendable {
    let authenticator: any AdminAuthenticator
    let failures: FailedTokens

    /// Whose token it is.
    ///
    /// - Throws: ``ProblemDocument`` with `unauthorized`, `forbidden`, or `rate-limited` after too many wrong tokens.
    func identity(
        _ request: Request,
        _ context: ServerRequestContext,
        for permission: AdminPermission
    ) async throws -> AdminIdentity {
        // Who sends no token guesses nothing, and is not counted.
        guard request.headers[.authorization] != nil else {
            throw ProblemDocument(.unauthorized, detail: "Send Authorization: Bearer and a token for administration.")
        }
        let address = context.clientAddress?.site ?? []
        let token = request.bearerToken
        let hash = AdminTokenRecord.hash(ofToken: token ?? "")
        if let seconds = failures.wait(address: address, tokenHash: hash) {
            throw ProblemDocument(.rateLimited, detail: "Too many wrong tokens came from there.", retryAfter: seconds)
        }
        guard let token, let identity = try await authenticator.identity(ofToken: token) else {
            failures.failed(address: address)
            throw ProblemDocument(.unauthorized, detail: "The token is not known.")
        }
        failures.passed(tokenHash: hash)
        guard identity.role.allows(permission) else {
            context.logger.notice(
                "administration refused",
                metadata: ["token": "\(identity.name)", "role": "\(identity.role)", "needs": "\(permission)"]
            )
            throw ProblemDocument(.forbidden, detail: "The role \(identity.role) does not allow this.")
        }
        return identity
    }
}
