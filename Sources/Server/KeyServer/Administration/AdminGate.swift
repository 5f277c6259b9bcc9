import HTTPTypes
import Hummingbird
import KeyStore
import Logging

/// Authenticates and authorizes requests for administration: by `Authorization: Bearer TOKEN`, by the cookie of a
/// session that was started with a token, or by a client certificate, which has the role encoder.
struct AdminGate: Sendable {
    /// The authenticated client.
    struct Caller {
        let identity: AdminIdentity
        /// The ID of the session, if the request uses one.
        var sessionID: Substring?
    }

    let authenticator: any AdminAuthenticator
    let failures: FailedTokens
    let sessions: DashboardSessions
    /// True if the listener uses TLS.
    var isSecure = false

    /// Authenticates a request and checks its permission.
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
                "administration request refused",
                metadata: ["token": "\(identity.name)", "role": "\(identity.role)", "needs": "\(permission)"]
            )
            throw ProblemDocument(.forbidden, detail: "The role \(identity.role) does not permit this.")
        }
        return caller
    }

    /// Authenticates a token.
    ///
    /// - Throws: ``ProblemDocument`` with `unauthorized`, or `rate-limited` after too many wrong tokens.
    func identity(ofToken token: Substring?, _ context: ServerRequestContext) async throws -> AdminIdentity {
        let address = context.clientAddress?.addressPrefix ?? []
        let hash = AdminTokenRecord.hash(ofToken: token ?? "")
        if let seconds = failures.retryAfter(address: address, tokenHash: hash) {
            throw ProblemDocument(
                .rateLimited,
                detail: "Too many invalid tokens from this address.",
                retryAfter: seconds
            )
        }
        guard token != nil, let identity = try await authenticator.identity(ofTokenHash: hash) else {
            if let seconds = failures.failed(address: address, tokenHash: hash) {
                throw ProblemDocument(.rateLimited, detail: "Too many attempts with this token.", retryAfter: seconds)
            }
            throw ProblemDocument(.unauthorized, detail: "The token is unknown.")
        }
        failures.succeeded(tokenHash: hash)
        return identity
    }

    private func caller(_ request: Request, _ context: ServerRequestContext) async throws -> Caller {
        guard request.headers[.authorization] == nil else {
            return Caller(identity: try await identity(ofToken: request.bearerToken, context))
        }
        // Automatic updates of a page must not extend a session. The page marks such requests, and event streams never
        // extend it.
        let isUse = request.headers[.unattended] == nil && request.headers[.accept] != "text/event-stream"
        // Requests without a token are not counted as failed attempts.
        for id in SessionCookie.ids(in: request.headers) {
            guard let session = sessions.session(id: id, isUse: isUse) else { continue }
            guard let identity = try await authenticator.identity(ofTokenHash: session.tokenHash) else {
                sessions.end(id: id)
                continue
            }
            try requireChangeToken(request, sessionID: id)
            return Caller(identity: identity, sessionID: id)
        }
        if let subject = await context.clientCertificateSubject() {
            return Caller(identity: AdminIdentity(name: "certificate \(subject)", role: .encoder))
        }
        throw ProblemDocument(.unauthorized, detail: "Send a token for administration in Authorization: Bearer.")
    }

    /// Prevents cross-site request forgery. Browsers send the cookie with requests of any page, so a change must prove
    /// that it comes from the dashboard.
    private func requireChangeToken(_ request: Request, sessionID: Substring) throws(ProblemDocument) {
        try SameOrigin.require(request)
        guard request.method != .get, request.method != .head else { return }
        guard request.headers[.changeToken] == DashboardSessions.changeToken(id: sessionID) else {
            throw ProblemDocument(
                .forbidden,
                detail: "A change in a session must have the session's value in the header Keyway-Change.",
                reason: "change-token"
            )
        }
    }
}
