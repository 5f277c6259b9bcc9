import FPSCrypto
import HTTPTypes
import Hummingbird
import KeyStore
import TextCoding

/// The routes for signing in and out from a browser.
///
///     POST   /admin/session    {"token": TOKEN}
///     GET    /admin/session    the current token or session
///     DELETE /admin/session    ends the current session
///
/// The response to POST sets the cookie. Its field `change` must be sent in the header `Keyway-Change` of every change.
struct SessionRoutes: Sendable {
    static let path = "/admin/session"
    let gate: AdminGate
    let sessions: DashboardSessions
    let store: any AuditLog
    let clock: @Sendable () -> Int64
    private static let bodyLimit = 4_096

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint(.get, Self.path, .read) { try show($0) },
            AdminEndpoint(.delete, Self.path, .read) { try await end($0) },
        ]
    }

    /// Adds the sign-in route, which requires no token in a header, to a router.
    func add(to router: Router<ServerRequestContext>) {
        router.post(RouterPath(Self.path)) { request, context in
            do {
                return try await begin(request, context)
            } catch let error as JSONError {
                throw ProblemDocument(malformed: error)
            }
        }
    }

    private func begin(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try SameOrigin.require(request)
        var fields = try JSONFields(try await request.jsonBody(upTo: Self.bodyLimit), path: "")
        let token = try fields.string("token")
        try fields.finish()
        guard let token else { throw fields.error("token", "the field is missing") }
        let identity = try await gate.identity(ofToken: token[...], context)
        let id = sessions.begin(tokenHash: AdminTokenRecord.hash(ofToken: token))
        var actor = AdminActor(name: identity.name, route: Self.path, milliseconds: clock())
        actor.requestID = context.id
        actor.remoteAddress = context.remoteAddress
        try await store.append(actor.audit("sign-in", "signed in to the dashboard, role \(identity.role)"))
        var response = json(identity, change: DashboardSessions.changeToken(id: id)).response()
        response.headers[.setCookie] = SessionCookie.set(id, isSecure: gate.isSecure || SameOrigin.isSecure(request))
        return response
    }

    private func show(_ request: AdminRequest) throws -> Response {
        try request.requireNoQuery()
        return json(request.identity, change: request.sessionID.map { DashboardSessions.changeToken(id: $0) })
            .response()
    }

    private func end(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        guard let id = request.sessionID else { return .noContent }
        sessions.end(id: id)
        try await store.append(request.audit("sign-out", "signed out of the dashboard"))
        var response = Response.noContent
        response.headers[values: .setCookie] = SessionCookie.clear
        return response
    }

    private func json(_ identity: AdminIdentity, change: String?) -> JSONValue {
        let permissions = AdminPermission.allCases.filter { identity.role.allows($0) }
        return .fields([
            ("name", .string(identity.name)),
            ("role", .string(identity.role.rawValue)),
            ("permissions", .array(permissions.map { .string($0.rawValue) })),
            ("change", change.map { .string($0) }),
            ("idleSeconds", change.map { _ in .integer(Int(sessions.limits.idle)) }),
        ])
    }
}
