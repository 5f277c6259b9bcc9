import HTTPTypes
public import Hummingbird
public import KeyStore

/// The routes that licence policies are kept by. They need a token.
///
///     PUT    /admin/policies/{name}    a policy document (docs/policy.md)
///     GET    /admin/policies/{name}
///     DELETE /admin/policies/{name}
public struct PolicyRoutes: Sendable {
    private let store: any PolicyStore
    /// More than any document needs.
    private static let bodyLimit = 16_384

    /// Makes the routes.
    public init(store: any PolicyStore) { self.store = store }

    /// Puts them on the routes that need a token.
    public func add(to group: RouterGroup<ServerRequestContext>) {
        group.put("/policies/:name") { request, context in try await put(request, context) }
        group.get("/policies/:name") { _, context in try await get(context) }
        group.delete("/policies/:name") { _, context in try await delete(context) }
    }

    private func put(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let body = try await request.jsonBody(upTo: Self.bodyLimit)
        do {
            let record = try ContentDefaults.policy(name: try context.parameters.require("name"), json: body.encoded)
            let outcome = try await store.putPolicy(record, replacing: true)
            return try document(record).response(status: outcome == .created ? .created : .ok)
        } catch let error as ContentDefaults.PolicyMistake {
            throw ProblemDocument(.malformedRequest, detail: error.description)
        } catch let error as KeyStoreError where error.code == .invalidRecord {
            throw ProblemDocument(.malformedRequest, detail: error.reason)
        }
    }

    private func get(_ context: ServerRequestContext) async throws -> Response {
        guard let record = try await store.policy(name: try context.parameters.require("name")) else {
            throw ProblemDocument(.notFound)
        }
        return try document(record).response()
    }

    private func delete(_ context: ServerRequestContext) async throws -> Response {
        do {
            guard try await store.deletePolicy(name: try context.parameters.require("name")) else {
                throw ProblemDocument(.notFound)
            }
            return Response(status: .noContent)
        } catch let error as KeyStoreError where error.code == .conflict {
            throw ProblemDocument(.conflict, detail: error.reason)
        }
    }

    private func document(_ record: PolicyRecord) throws -> JSONValue { try JSONValue(parsing: record.document) }
}
