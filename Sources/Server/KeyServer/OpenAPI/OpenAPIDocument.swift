import HTTPTypes
package import Hummingbird
import KeyStore
import TextCoding

/// The OpenAPI 3.1 document of all routes, public ones and administration.
///
/// It is made of values instead of being a file beside the executable, so that it is always there, and so that problem
/// types, roles and headers are those of the code. A test holds it against the routes in both directions.
package enum OpenAPIDocument {
    /// The document as JSON text.
    ///
    /// - Parameter otherClients: The clients without FairPlay that the server has routes for; the others' are left out.
    package static func json(otherClients: Set<OtherClientKind>) -> [UInt8] { value(otherClients).encoded }

    /// Every operation, whatever is configured.
    static let operations =
        OpenAPIOperation.forPlayback + OpenAPIOperation.forAdministration
        + OpenAPIOperation.forDashboard + OpenAPIOperation.forEncoders

    /// Puts `GET /openapi.json` on a router: the one for administration. It needs no token, since it is no secret.
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

    /// A piece of JSON text as a value. A test holds that all can be read.
    static func parsed(_ json: String) -> JSONValue {
        (try? JSONValue(parsing: Array(json.utf8), maximumDepth: 32)) ?? .null
    }

    private static let info = parsed(
        #"""
        {"title": "Keyway key server", "version": "1", "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
         "description": "Licenses and keys for players, and administration. Administration may be on a listener of its own. Routes for Clear Key and AES-128 are described where the server's configuration has them. HEAD is answered wherever GET is. A known path answers other methods with 405 and Allow, an unknown path, or another spelling of a known one, with 404. Every failure is a problem document (RFC 9457). Any request may be refused before its path is looked at: what is not HTTP/1.1 with 400 (malformed-request), a transfer coding other than chunked with 501 (unsupported-transfer-coding), and by a connection too many with 429 (rate-limited) or 503 (overloaded), whose reason is connections, unless it is for /healthz or /readyz."}
        """#
    )

    private static let headers = parsed(
        #"""
        {"RequestId": {"description": "The request's ID, as in log and audit.", "required": true,
           "schema": {"type": "string", "minLength": 1}},
         "CacheControl": {"description": "no-store, but for certificates.", "required": true,
           "schema": {"type": "string"}},
         "Trace": {"description": "The W3C's trace context of the request.", "required": true,
           "schema": {"type": "string", "pattern": "^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$"}},
         "RetryAfter": {"description": "When to come back, in seconds.", "required": true,
           "schema": {"type": "integer", "minimum": 1}},
         "SpekeVersion": {"description": "The version of SPEKE.", "required": true,
           "schema": {"type": "string", "const": "2.0"}},
         "SpekeUserAgent": {"description": "Who made the answer.", "required": true,
           "schema": {"type": "string", "minLength": 1}},
         "Authenticate": {"description": "Bearer", "required": true, "schema": {"type": "string"}},
         "Persistable": {"description": "Whether the key may be kept; of answers that are not JSON.",
           "schema": {"type": "string", "enum": ["true", "false"]}},
         "DualExpiry": {"description": "Whether the key has storage and playback durations; of answers that are not JSON.",
           "schema": {"type": "string", "enum": ["true", "false"]}}}
        """#
    )

    private static let securitySchemes = parsed(
        #"""
        {"adminToken": {"type": "http", "scheme": "bearer",
           "description": "A token for administration. An operation lists the roles that may."},
         "clientCertificate": {"type": "mutualTLS",
           "description": "A certificate that admin.clientCA has issued: it may do what the role encoder may."},
         "adminSession": {"type": "apiKey", "in": "cookie", "name": "keyway-session",
           "description": "A session that was begun with such a token. Changes carry Keyway-Change too: docs/dashboard.md."},
         "playbackToken": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
           "description": "A playback token; not needed by a server in development mode or without authorization."},
         "signedURL": {"type": "apiKey", "in": "query", "name": "sig",
           "description": "A signed, expiring URL, for players that send no header: docs/other-clients.md."}}
        """#
    )
}
