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
        let headers = request.headers[values: .authorization]
        // Who sends no token guesses nothing, and is not counted.
        guard let header = headers.first else {
            throw ProblemDocument(.unauthorized, detail: "Send Authorization: Bearer and a token for administration.")
        }
        let address = context.clientAddress?.site ?? []
        let parts = header.split(separator: " ", maxSplits: 1)
        let token = parts.count == 2 ? parts[1] : ""
        let hash = AdminTokenRecord.hash(ofToken: token)
        if let seconds = failures.wait(address: address, tokenHash: hash) {
            throw ProblemDocument(.rateLimited, detail: "Too many wrong tokens came from there.", retryAfter: seconds)
        }
        guard headers.count == 1, parts.count == 2, parts[0].lowercased() == "bearer",
            let identity = try await authenticator.identity(ofToken: token)
        else {
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
