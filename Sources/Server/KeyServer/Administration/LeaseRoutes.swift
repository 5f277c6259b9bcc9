import Hummingbird
package import KeyStore
package import TextCoding

/// The routes that list and end concurrent streams.
///
///     GET    /admin/leases[?account=&asset=&device=]
///     DELETE /admin/leases/{account}/{client}    client: device:HEX or session:HEX
///
/// The session of an ended lease gets no more keys. The lease still counts until the key that the device has expires.
struct LeaseRoutes: Sendable {
    let store: any GrantStore & ListStore
    private static let leases = AdminList(table: .leases, filters: [.account, .asset, .client])

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint(.get, "/admin/leases", .read) { try await list($0) },
            AdminEndpoint(.delete, "/admin/leases/{account}/{client}", .support) { try await end($0) },
        ]
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        let active = ListCondition.greater(.until, request.now)
        return try await request.answer(Self.leases, matching: [active], \.administrationJSON) {
            query throws(KeyStoreError) in
            try await store.leases(query)
        }
    }

    private func end(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let account = try request.account()
        guard let client = AdminJSON.client(try request.text("client")) else {
            throw ProblemDocument(
                .malformedRequest,
                detail: "The client must be device: and 32 hexadecimal digits, or session: and 16."
            )
        }
        guard try await request.changes(in: store).endLease(account: account, client: client) else {
            throw ProblemDocument(.notFound, detail: "The account has no lease of this client.")
        }
        return .noContent
    }
}

extension LeaseRecord {
    /// The lease in the administration API.
    package var administrationJSON: JSONValue {
        let fields: AdminJSON.Fields = [
            ("account", .string(account)),
            ("client", .string(AdminJSON.text(client))),
            ("sessionId", AdminJSON.number(sessionID)),
            ("since", AdminJSON.time(since)),
            ("until", AdminJSON.time(until)),
            ("purpose", .string(purpose.rawValue)),
            ("ended", AdminJSON.time(ended)),
        ]
        return .fields(fields + AdminJSON.asset(assetID))
    }
}
