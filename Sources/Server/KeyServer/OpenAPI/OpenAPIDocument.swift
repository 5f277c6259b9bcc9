import CWebFiles
import HTTPTypes
package import Hummingbird
import KeyServerModule
import NIOCore
import TextCoding

/// The OpenAPI 3.1 document of all routes: those for players and those for administration.
///
/// `CWebFiles/OpenAPI/openapi.yaml`, which the executable contains, describes everything except what the code already
/// does: responses with problem types and the fields of policies. Tests compare it with the code in both directions.
package enum OpenAPIDocument {
    /// The document as JSON text.
    ///
    /// - Parameter otherClients: The clients without FairPlay that the server has routes for; the document omits other
    ///   routes.
    package static func json(otherClients: Set<OtherClientKind>) -> [UInt8] {
        value(otherClients: otherClients).encoded(sortingNames: false)
    }

    /// Adds `GET /openapi.json` to the router for administration. The route requires no token, because the document is
    /// public.
    package static func add(to router: Router<ServerRequestContext>, otherClients: Set<OtherClientKind>) {
        let json = ByteBuffer(bytes: json(otherClients: otherClients))
        router.get("/openapi.json") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "application/json", .cacheControl: "no-store"],
                body: .init(byteBuffer: json)
            )
        }
    }

    /// The file before anything is filled in. A test checks that it can be converted.
    static let file: JSONValue = {
        let file = keyway_openapi_document()
        let text = String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
        return (try? JSONValue(yaml: text)) ?? .null
    }()

    /// The document, with everything filled in.
    static func value(otherClients: Set<OtherClientKind>) -> JSONValue {
        let missing = OtherClientKind.allCases.filter { !otherClients.contains($0) }.map(\.path)
        return file.mapMembers { name, value in
            switch name {
            case "x-shared": nil
            case "paths": value.mapMembers { path, operations in missing.contains(path) ? nil : operations }
            case "components": components(value)
            default: value
            }
        }
    }

    private static func components(_ components: JSONValue) -> JSONValue {
        components.mapMembers { kind, entries in
            switch kind {
            case "responses": entries.mapMembers { _, response in self.response(response) }
            case "schemas": entries.mapMembers { $0 == "Policy" ? LicensePolicy.openAPISchema : $1 }
            default: entries
            }
        }
    }

    /// Returns the response for the problem types that `x-problems` lists by name. All have the same status.
    private static func response(_ response: JSONValue) -> JSONValue {
        let names = response["x-problems"]?.items?.compactMap(\.text) ?? []
        let problems = names.compactMap { name in ProblemType.all.first { $0.name == name } }
        let status = problems.first?.status.code
        var headers = [
            ("X-Request-Id", "RequestId"), ("Cache-Control", "CacheControl"), ("traceparent", "Trace"),
        ]
        if status == 401 { headers.append(("WWW-Authenticate", "Authenticate")) }
        if status == 429 || status == 503 { headers.append(("Retry-After", "RetryAfter")) }
        let schema: JSONObject = [
            "allOf": .array([reference("schemas/Problem")]),
            "properties": .object(["type": .object(["enum": .array(problems.map { .string($0.uri) })])]),
        ]
        let example: JSONObject = [
            "type": problems.first.map { .string($0.uri) },
            "title": problems.first.map { .string($0.title) },
            "status": status.map { .integer($0) },
            "instance": .string("5f0c3d2a9b7e4c61"),
        ]
        let content: JSONObject = ["schema": .object(schema), "example": .object(example)]
        return .object([
            "description": .string(problems.map { "`\($0.name)`: \($0.title)." }.joined(separator: " ")),
            "headers": .fields(headers.map { ($0.0, reference("headers/\($0.1)")) }),
            "content": .object(["application/problem+json": .object(content)]),
        ])
    }

    private static func reference(_ component: String) -> JSONValue {
        .object(["$ref": .string("#/components/\(component)")])
    }
}

extension JSONValue {
    /// Returns the object with changed members; a member for which `change` returns nil is omitted. Other values are
    /// returned as they are.
    fileprivate func mapMembers(_ change: (_ name: String, _ value: JSONValue) -> JSONValue?) -> JSONValue {
        guard case .object(let object) = self else { return self }
        return .object(JSONObject(object.map { (key: $0.key, value: change($0.key, $0.value)) }))
    }
}
