import Hummingbird
import KeyStore
import TextCoding

/// The route that finds accounts, titles, assets, devices, policies and requests whose name begins with a text.
///
///     GET /admin/search?q=TEXT[&limit=NUMBER]
///
/// Accounts, devices and requests are those in the audit log.
struct SearchRoutes: Sendable {
    let store: any SearchStore
    /// The maximum number of names of each kind.
    static let limits = 1...50
    static let defaultLimit = 10

    var endpoints: [AdminEndpoint] {
        [AdminEndpoint(.get, "/admin/search", .read) { try await search($0) }]
    }

    private func search(_ request: AdminRequest) async throws -> Response {
        var query = try request.query()
        guard let value = try query.read("q") else {
            throw ProblemDocument(.malformedRequest, detail: "q, the text to search for, is missing.")
        }
        let text = SearchText(try AdminFilters.text("q", value))
        var limit = Self.defaultLimit
        if let value = try query.read("limit") {
            guard let number = Int(String(decoding: value, as: UTF8.self)), Self.limits ~= number else {
                throw ProblemDocument(
                    .malformedRequest,
                    detail: "limit must be an integer from \(Self.limits.lowerBound) to \(Self.limits.upperBound)."
                )
            }
            limit = number
        }
        try query.finish()
        return try await store.names(matching: text, limit: limit).administrationJSON.response()
    }
}

extension FoundNames {
    /// The names in the administration API.
    var administrationJSON: JSONValue {
        func strings(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
        return .fields([
            ("accounts", strings(accounts)),
            ("titles", strings(titles)),
            ("assets", .array(assets.map { .fields(AdminJSON.asset($0)) })),
            ("devices", strings(devices.map { Hexadecimal.encode($0.bytes) })),
            ("policies", strings(policies)),
            ("requests", strings(requestIDs)),
        ])
    }
}
