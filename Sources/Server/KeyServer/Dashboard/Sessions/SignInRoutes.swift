import Hummingbird
import KeyStore
import TextCoding

/// The route that shows the sessions of the dashboard on this server, and how many tokens were wrong.
///
///     GET /admin/sign-ins
///
/// Earlier sign-ins are in the audit log: `?route=/admin/session`.
struct SignInRoutes: Sendable {
    let gate: AdminGate

    var endpoints: [AdminEndpoint] {
        [AdminEndpoint(.get, "/admin/sign-ins", .administer) { try await show($0) }]
    }

    private func show(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        var sessions: [JSONValue] = []
        for session in gate.sessions.active {
            // Sessions of deleted tokens have no owner, and end with their next request.
            guard let owner = try await gate.authenticator.identity(ofTokenHash: session.tokenHash) else { continue }
            sessions.append(
                .fields([
                    ("name", .string(owner.name)),
                    ("role", .string(owner.role.rawValue)),
                    ("used", AdminJSON.time(session.used)),
                    ("end", AdminJSON.time(session.end)),
                ])
            )
        }
        let failed = gate.failures.trackedCount
        return JSONValue.fields([
            ("sessions", .array(sessions)),
            ("maximum", .integer(gate.sessions.limits.count)),
            (
                "failed",
                .fields([
                    ("attempts", .integer(gate.failures.count)),
                    ("addresses", .integer(failed.addresses)),
                    ("tokens", .integer(failed.tokens)),
                ])
            ),
        ]).response()
    }
}
