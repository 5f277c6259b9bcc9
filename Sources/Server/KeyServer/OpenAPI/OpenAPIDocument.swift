import HTTPTypes
package import Hummingbird
import KeyStore
import TextCoding

/// The OpenAPI 3.1 document of all routes: those for players and those for administration.
///
/// The document is built from Swift values instead of a file next to the executable. It is therefore always available,
/// and its problem types, roles and headers are those of the code. A test compares it with the routes in both
/// directions.
package enum OpenAPIDocument {
    /// The document as JSON text.
    ///
    /// - Parameter otherClients: The clients without FairPlay that the server has routes for; the document omits other
    ///   routes.
    package static func json(otherClients: Set<OtherClientKind>) -> [UInt8] { value(otherClients).encoded }

    /// Every operation, independent of the configuration.
    static let operations =
        OpenAPIOperation.forPlayback + OpenAPIOperation.forAdministration
        + OpenAPIOperation.forDashboard + OpenAPIOperation.forEncoders

    /// Adds `GET /openapi.json` to the router for administration. The route requires no token, because the document is
    /// public.
    package static func add(to router: Router<ServerRequestContext>, otherClients: Set<OtherClientKind>) {
        let json = json(otherClients: otherClients)
        router.get("/openapi.json") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "application/json", .cacheControl: "no-store"],
                body: .init(byteBuffer: .init(bytes: json))
            )
        }
    }

    private static func value(_ otherClients: Set<OtherClientKind>) -> JSONValue {
        let missing = OtherClientKind.allCases.filter { !otherClients.contains($0) }.map(\.path)
        var paths: [String: [(name: String, value: JSONValue?)]] = [:]
        for operation in operations where !missing.contains(operation.path) {
            let method = operation.method.rawValue.lowercased()
            paths[operation.path, default: []].append((method, operation.json))
        }
        return .fields([
            ("openapi", .string("3.1.0")),
            ("info", info),
            (
                "tags",
                .array(OpenAPIOperation.Tag.allCases.map { .fields([("name", .string($0.rawValue))]) })
            ),
            ("paths", .fields(paths.map { ($0.key, .fields($0.value)) })),
            (
                "components",
                .fields([
                    ("schemas", .fields(OpenAPISchemas.all.map { ($0.name, parsed($0.json)) })),
                    ("headers", headers),
                    ("securitySchemes", securitySchemes),
                ])
            ),
        ])
    }

    /// Parses a JSON fragment. A test checks that every fragment can be parsed.
    static func parsed(_ json: String) -> JSONValue {
        (try? JSONValue(parsing: Array(json.utf8), maximumDepth: 32)) ?? .null
    }

    private static let info = parsed(
        #"""
        {"title": "Keyway key server", "version": "1", "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
         "description": "Licenses and keys for players, and administration. Administration may have a separate listener. Routes for Clear Key and AES-128 are included only if the server's configuration enables them. HEAD is answered wherever GET is. For a known path, other methods are answered with 405 and Allow; an unknown path, or another spelling of a known path, with 404. Every failure is a problem document (RFC 9457). A request may be refused before its path is processed: if it is not HTTP/1.1, with 400 (malformed-request); if its transfer coding is not chunked, with 501 (unsupported-transfer-coding); and if there are too many connections, with 429 (rate-limited) or 503 (overloaded) and the reason connections, except for /healthz and /readyz."}
        """#
    )

    private static let headers = parsed(
        #"""
        {"RequestId": {"description": "The request ID, as in the log and the audit log.", "required": true,
           "schema": {"type": "string", "minLength": 1}},
         "CacheControl": {"description": "no-store, except for certificates.", "required": true,
           "schema": {"type": "string"}},
         "Trace": {"description": "The W3C trace context of the request.", "required": true,
           "schema": {"type": "string", "pattern": "^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$"}},
         "RetryAfter": {"description": "The time to wait before a retry, in seconds.", "required": true,
           "schema": {"type": "integer", "minimum": 1}},
         "SpekeVersion": {"description": "The SPEKE version.", "required": true,
           "schema": {"type": "string", "const": "2.0"}},
         "SpekeUserAgent": {"description": "The software that created the response.", "required": true,
           "schema": {"type": "string", "minLength": 1}},
         "Authenticate": {"description": "Bearer", "required": true, "schema": {"type": "string"}},
         "Persistable": {"description": "Whether the key may be persisted; in responses that are not JSON.",
           "schema": {"type": "string", "enum": ["true", "false"]}},
         "DualExpiry": {"description": "Whether the key has a storage and a playback duration; in responses that are not JSON.",
           "schema": {"type": "string", "enum": ["true", "false"]}}}
        """#
    )

    private static let securitySchemes = parsed(
        #"""
        {"adminToken": {"type": "http", "scheme": "bearer",
           "description": "A token for administration. Each operation lists the roles that it permits."},
         "clientCertificate": {"type": "mutualTLS",
           "description": "A certificate issued by admin.clientCA. It has the permissions of the role encoder."},
         "adminSession": {"type": "apiKey", "in": "cookie", "name": "keyway-session",
           "description": "A session that was started with such a token. Changes require the header Keyway-Change too: docs/dashboard.md."},
         "playbackToken": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
           "description": "A playback token; not required by a server in development mode or without authorization."},
         "signedURL": {"type": "apiKey", "in": "query", "name": "sig",
           "description": "A signed, expiring URL, for players that cannot send headers: docs/other-clients.md."}}
        """#
    )
}
