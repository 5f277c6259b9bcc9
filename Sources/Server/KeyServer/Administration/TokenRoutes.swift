import FPSCrypto
import Hummingbird
package import KeyStore
package import TextCoding

/// The routes for administration tokens.
///
///     GET    /admin/tokens[?prefix=&search=&sort=name&order=asc|desc]    names and roles
///     POST   /admin/tokens           {"name": NAME, "role": "viewer" | "support" | "content" | "encoder" | "admin"}
///     DELETE /admin/tokens/{name}
///
/// Only the response to `POST` contains the token itself.
struct TokenRoutes: Sendable {
    let store: any AdminTokenStore
    private static let tokens = AdminList(
        table: .adminTokens,
        name: (.name, isBytes: false),
        sorts: [("name", .name)]
    )
    private static let bodyLimit = 1_024

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint(.get, "/admin/tokens", .administer) { try await list($0) },
            AdminEndpoint(.post, "/admin/tokens", .administer) { try await make($0) },
            AdminEndpoint(.delete, "/admin/tokens/{name}", .administer) { try await delete($0) },
        ]
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        try await request.answer(Self.tokens, { $0.administrationJSON() }) { query throws(KeyStoreError) in
            ListedTable.adminTokens.page(query, of: try await store.adminTokens())
        }
    }

    private func make(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        var fields = try await request.fields(upTo: Self.bodyLimit)
        let name = try fields.string("name")
        let role = try fields.choice("role", AdminRole.self)
        try fields.finish()
        guard let name, let role else { throw fields.error(name == nil ? "name" : "role", "the field is missing") }
        guard name != SingleAdminToken.name else {
            throw ProblemDocument(.conflict, detail: "The token in the data folder has this name.")
        }
        let (record, token) = try AdminTokenRecord.make(name: name, role: role, time: request.now)
        let audit = request.audit("token-create", "token \(name) created, role \(role)")
        try await store.addAdminToken(record, audit: audit)
        let text = token.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return record.administrationJSON(token: text).response(status: .created)
    }

    private func delete(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let name = try request.text("name")
        let audit = request.audit("token-delete", "token \(name) deleted")
        guard try await store.deleteAdminToken(name: name, audit: audit) else {
            throw ProblemDocument(.notFound, detail: "There is no token of this name.")
        }
        return .noContent
    }
}

extension AdminTokenRecord {
    /// Returns the token's record in the administration API.
    ///
    /// - Parameter token: The token itself, which only the answer to its creation contains.
    package func administrationJSON(token: String? = nil) -> JSONValue {
        .fields([
            ("name", .string(name)),
            ("role", .string(role.rawValue)),
            ("created", AdminJSON.time(created)),
            ("lastUsed", AdminJSON.time(lastUsedDay.map { $0 * 86_400 })),
            ("token", token.map { .string($0) }),
        ])
    }
}
