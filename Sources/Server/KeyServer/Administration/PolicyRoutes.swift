import Hummingbird
package import KeyStore
package import TextCoding

/// The routes for license policies.
///
///     GET    /admin/policies[?prefix=&search=&sort=name&order=asc|desc]
///     PUT    /admin/policies/{name}    a policy document (docs/policy.md)
///     GET    /admin/policies/{name}
///     DELETE /admin/policies/{name}
///     GET    /admin/policies/{name}/history[?before=&limit=]    its changes, newest first
///     GET    /admin/policies/{name}/uses[?limit=]               the records that refer to it
struct PolicyRoutes: Sendable {
    let store: any ContentStore & TitleStore & PolicyStore & ListStore
    private static let policies = AdminList(
        table: .policies,
        name: (.name, isBytes: false),
        sorts: [("name", .name)]
    )
    /// The maximum size of the body, more than any document needs.
    private static let bodyLimit = 16_384

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint(.get, "/admin/policies", .read) { try await list($0) },
            AdminEndpoint(.put, "/admin/policies/{name}", .content) { try await put($0) },
            AdminEndpoint(.get, "/admin/policies/{name}", .read) { try await get($0) },
            AdminEndpoint(.delete, "/admin/policies/{name}", .content) { try await delete($0) },
            AdminEndpoint(.get, "/admin/policies/{name}/history", .read) { try await history($0) },
            AdminEndpoint(.get, "/admin/policies/{name}/uses", .read) { try await uses($0) },
        ]
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        try await request.answer(Self.policies, \.administrationJSON) { query throws(KeyStoreError) in
            try await store.policies(query)
        }
    }

    private func put(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let body = try await request.request.jsonBody(upTo: Self.bodyLimit)
        let record: PolicyRecord
        do {
            record = try ContentDefaults.policy(name: try request.text("name"), json: body.encoded)
        } catch let error as ContentDefaults.PolicyDocumentError {
            throw ProblemDocument(.malformedRequest, detail: error.description, field: error.field)
        }
        try await ContentDefaults.check(policy: record, in: store)
        let outcome = try await store.putPolicy(record, replacing: true) { outcome in
            Self.audit(request, "policy-put", record.name, "\(outcome)")
        }
        return record.administrationJSON.response(status: outcome == .created ? .created : .ok)
    }

    private func get(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        guard let record = try await store.policy(name: try request.text("name")) else { throw Self.noPolicy }
        return record.administrationJSON.response()
    }

    private func delete(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        let name = try request.text("name")
        let audit = Self.audit(request, "policy-delete", name, "deleted")
        guard try await store.deletePolicy(name: name, audit: audit) else { throw Self.noPolicy }
        return .noContent
    }

    private func history(_ request: AdminRequest) async throws -> Response {
        var query = try request.query()
        let before = try query.readNumber("before")
        let limit = try AdminPage.limit(&query)
        try query.finish()
        let name = try request.text("name")
        let found = try await store.policyHistory(name: name, before: before, limit: limit + 1)
        if found.isEmpty, try await store.policy(name: name) == nil { throw Self.noPolicy }
        let page = found.prefix(limit)
        let next = found.count > limit ? page.last.map { JSONValue.string("\($0.number)") } : nil
        return JSONValue.fields([("items", .array(page.map(\.administrationJSON))), ("next", next ?? .null)]).response()
    }

    private func uses(_ request: AdminRequest) async throws -> Response {
        var query = try request.query()
        let limit = try AdminPage.limit(&query)
        try query.finish()
        let name = try request.text("name")
        guard try await store.policy(name: name) != nil else { throw Self.noPolicy }
        return try await store.policyUses(name: name, limit: limit).administrationJSON.response()
    }

    private static func audit(
        _ request: AdminRequest,
        _ outcome: String,
        _ name: String,
        _ what: String
    ) -> AuditRecord {
        var record = request.audit(outcome, "policy \(name) \(what)")
        record.policyName = name
        return record
    }

    private static let noPolicy = ProblemDocument(.notFound, detail: "There is no policy of this name.")
}

extension PolicyRecord {
    /// The stored document; only the name if the document cannot be parsed, so that a list does not fail.
    package var administrationJSON: JSONValue {
        (try? JSONValue(parsing: document)) ?? .fields([("name", .string(name))])
    }
}
