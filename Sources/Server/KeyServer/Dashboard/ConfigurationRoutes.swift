import Hummingbird
import KeyStore
import TextCoding

/// The route that shows the settings in effect.
///
///     GET /admin/configuration
///
/// The configuration contains no secrets, only the files and variables that do. Values that may contain one anyway are
/// not shown: commands, and the user and the query of a URL.
struct ConfigurationRoutes: Sendable {
    let settings: [EffectiveSetting]

    var endpoints: [AdminEndpoint] {
        [AdminEndpoint(.get, "/admin/configuration", .administer) { try show($0) }]
    }

    private func show(_ request: AdminRequest) throws -> Response {
        try request.requireNoQuery()
        return AdminJSON.list(settings.map(\.administrationJSON)).response()
    }
}

extension EffectiveSetting {
    /// The setting in the administration API.
    var administrationJSON: JSONValue {
        .fields([
            ("path", .string(path)),
            ("value", value.flatMap { Self.shown($0, of: path) }.map { .string($0) }),
            ("set", .bool(value != nil)),
            ("origin", .string(origin.description)),
        ])
    }

    /// Returns the part of a value that can be shown; nil if no part of it can.
    static func shown(_ value: String, of path: String) -> String? {
        if path == "kek.command" { return nil }
        guard let scheme = value.firstRange(of: "://") else { return value }
        var rest = value[scheme.upperBound...]
        if let end = rest.firstIndex(where: { "?#".contains($0) }) { rest = rest[..<end] }
        let host = rest.prefix { $0 != "/" }
        if let at = host.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        return String(value[..<scheme.upperBound]) + String(rest)
    }
}
