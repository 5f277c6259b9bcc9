import HTTPTypes
import Hummingbird
import KeyStore
import Logging

/// Lets a request to administration pass when its token allows what the route does: `Authorization: Bearer TOKEN`, or the
/// cookie of a session that was begun with the token, or a client's certificate, which is an encoder's.
struct AdminGate: Sendable {
    /// Who asks.
    struct Caller {
        let identity: AdminIdentity
        /// The ID of the session that stands for the token, if one does.
        var sessionID: Substring?
    }

    let authenticator: any AdminAuthenticator
    let failures: FailedTokens
    let sessions: DashboardSessions
    /// Whether the listener speaks TLS.
    var isSecure = false

    /// Whose token it is.
    ///
    /// - Throws: ``ProblemDocument`` with `unauthorized`, `forbidden`, or `rate-limited` after too many wrong tokens.
    func caller(
        _ request: Request,
        _ context: ServerRequestContext,
        for permission: AdminPermission
    ) async throws -> Caller {
        let caller = try await self.caller(request, context)
        guard caller.identity.role.allows(permission) else {
            let identity = caller.identity
            context.logger.notice(
                "administration refused",
                metadata: ["token": "\(identity.name)", "role": "\(identity.role)", "needs": "\(permission)"]
            )
            throw ProblemDocument(.forbidden, detail: "The role \(identity.role) does not allow this.")
        }
        return caller
    }

    /// Whose token it is, wherever that was sent.
    ///
    /// - Throws: ``ProblemDocument`` with `unauthorized`, or `rate-limited` after too many wrong tokens.
    func identity(ofToken token: Substring?, _ context: ServerRequestContext) async throws -> AdminIdentity {
        let address = context.clientAddress?.site ?? []
        let hash = AdminTokenRecord.hash(ofToken: token ?? "")
        if let seconds = failures.wait(address: address, tokenHash: hash) {
            throw ProblemDocument(.rateLimited, detail: "Too many wrong tokens came from there.", retryAfter: seconds)
        }
        guard token != nil, let identity = try await authenticator.identity(ofTokenHash: hash) else {
            if let seconds = failures.failed(address: address, tokenHash: hash) {
                throw ProblemDocument(.rateLimited, detail: "That token was tried too often.", retryAfter: seconds)
            }
            throw ProblemDocument(.unauthorized, detail: "The token is not known.")
        }
        failures.passed(tokenHash: hash)
        return identity
    }

    private func caller(_ request: Request, _ context: ServerRequestContext) async throws -> Caller {
        guard request.headers[.authorization] == nil else {
            return Caller(identity: try await identity(ofToken: request.bearerToken, context))
        }
        // A page that keeps itself up to date must not keep a session alive: it says so, and its events come unasked.
        let isUse = request.headers[.unattended] == nil && request.headers[.accept] != "text/event-stream"
        // Who sends no token guesses nothing, and is not counted.
        for id in SessionCookie.ids(in: request.headers) {
            guard let session = sessions.session(id: id, isUse: isUse) else { continue }
            guard let identity = try await authenticator.identity(ofTokenHash: session.tokenHash) else {
                sessions.end(id: id)
                continue
            }
            try requireOwnPage(request, sessionID: id)
            return Caller(identity: identity, sessionID: id)
        }
        if let subject = await context.clientCertificateSubject() {
            return Caller(identity: AdminIdentity(name: "certificate \(subject)", role: .encoder))
        }
        throw ProblemDocument(.unauthorized, detail: "Send Authorization: Bearer and a token for administration.")
    }

    /// A browser sends a cookie whoever made the page that asks. So a change must prove that it comes from ours.
    private func requireOwnPage(_ request: Request, sessionID: Substring) throws(ProblemDocument) {
        try SameOrigin.require(request)
        guard request.method != .get, request.method != .head else { return }
        guard request.headers[.changeToken] == DashboardSessions.changeToken(id: sessionID) else {
            throw ProblemDocument(
                .forbidden,
                detail: "A change in a session carries the session's Keyway-Change.",
                reason: "change-token"
            )
        }
    }
}
