import HTTPTypes
import KeyStore
import TextCoding

/// A route as described by the OpenAPI document.
struct OpenAPIOperation: Sendable {
    enum Tag: String, CaseIterable {
        case licenses = "Licenses"
        case operations = "Operations"
        case content = "Content"
        case titles = "Titles"
        case channels = "Channels"
        case policies = "Policies"
        case certificates = "Certificates"
        case leases = "Leases"
        case accounts = "Accounts"
        case audit = "Audit"
        case tokens = "Tokens"
        case encoders = "Encoders"
        case dashboard = "Dashboard"
    }

    /// The authorization that an operation requires.
    enum Security {
        case unauthenticated
        /// A playback token, unless the server is configured without authorization; optionally a signed URL instead.
        case playback(orSignedURL: Bool)
        case administration(AdminPermission)
    }

    /// A query parameter, a header field or a path parameter.
    struct Parameter {
        let name: String
        let description: String
        let schema: String
        var isRequired = false
        /// The location: `query` or `header`.
        var location = "query"
    }

    /// The media types of a body, with the JSON text of their schemas.
    typealias Content = [(type: String, schema: String)]

    let method: HTTPRequest.Method
    let path: String
    let id: String
    let tag: Tag
    let summary: String
    let security: Security
    var parameters: [Parameter] = []
    var body: Content = []
    /// True if the body is accepted with any Content-Type.
    var acceptsAnyType = false
    /// The successful responses by status. Empty content means that there is no body.
    var successes: [(status: Int, description: String, content: Content)] = []
    /// The names of response headers in addition to the usual ones, and the components that describe them.
    var successHeaders: [(name: String, component: String)] = []
    /// The problems in addition to those of all operations of this kind.
    var problems: [ProblemType] = []
    /// True if the operation can fail with a server error; operations that do not use the store cannot.
    var mayFail = true

    /// Every problem that the operation can respond with, in the order of ``ProblemType/all``.
    var allProblems: [ProblemType] {
        var types = Set(problems)
        if !body.isEmpty {
            types.formUnion([.malformedRequest, .unsupportedMediaType, .bodyTooLarge, .requestTimeout])
        }
        if body.isEmpty { types.subtract([.unsupportedMediaType, .bodyTooLarge, .requestTimeout]) }
        if acceptsAnyType { types.remove(.unsupportedMediaType) }
        if mayFail { types.formUnion([.unavailable, .internalError]) }
        if case .administration = security {
            types.formUnion([.malformedRequest, .unauthorized, .forbidden, .rateLimited])
        }
        return ProblemType.all.filter { types.contains($0) }
    }

    var json: JSONValue {
        .fields([
            ("operationId", .string(id)),
            ("tags", .array([.string(tag.rawValue)])),
            ("summary", .string(summary)),
            ("security", securityJSON),
            ("parameters", parametersJSON),
            ("requestBody", body.isEmpty ? nil : .fields([("required", .bool(true)), ("content", Self.json(body))])),
            ("responses", responses),
        ])
    }

    private var securityJSON: JSONValue {
        let nothing = JSONValue.object([:])
        switch security {
        case .unauthenticated:
            return .array([])
        case .playback(let orSignedURL):
            let ways: [JSONValue] = [nothing, .object(["playbackToken": .array([])])]
            return .array(ways + (orSignedURL ? [.object(["signedURL": .array([])])] : []))
        case .administration(let permission):
            let roles = AdminRole.allCases.filter { $0.allows(permission) }
            let names = JSONValue.array(roles.map { .string($0.rawValue) })
            let ways = [JSONValue.object(["adminToken": names]), .object(["adminSession": names])]
            let certificate = JSONValue.object(["clientCertificate": .array([])])
            return .array(ways + (AdminRole.encoder.allows(permission) ? [certificate] : []))
        }
    }

    private var parametersJSON: JSONValue? {
        let inPath = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
        let pathParameters = inPath.map { name in
            Self.json(Self.pathParameter(name), location: "path")
        }
        let all = pathParameters + parameters.map { Self.json($0, location: $0.location) }
        return all.isEmpty ? nil : .array(all)
    }

    private static func json(_ parameter: Parameter, location: String) -> JSONValue {
        .fields([
            ("name", .string(parameter.name)),
            ("in", .string(location)),
            ("required", .bool(parameter.isRequired)),
            ("description", .string(parameter.description)),
            ("schema", OpenAPIDocument.parsed(parameter.schema)),
        ])
    }

    private static func json(_ content: Content) -> JSONValue {
        .fields(content.map { ($0.type, .fields([("schema", OpenAPIDocument.parsed($0.schema))])) })
    }

    private var responses: JSONValue {
        var responses: AdminJSON.Fields = successes.map { answer in
            let headers = Self.commonHeaders + successHeaders.map { ($0.name, Self.header($0.component)) }
            let fields: AdminJSON.Fields = [
                ("description", .string(answer.description)),
                ("headers", .fields(headers)),
                ("content", answer.content.isEmpty ? nil : Self.json(answer.content)),
            ]
            return ("\(answer.status)", .fields(fields))
        }
        let byStatus = Dictionary(grouping: allProblems, by: \.status.code)
        responses += byStatus.map { ("\($0.key)", Self.response($0.value, status: $0.key)) }
        // A status with a text response, such as 503 of /readyz, has no problem document.
        return .fields(responses)
    }

    private static func response(_ problems: [ProblemType], status: Int) -> JSONValue {
        var headers = commonHeaders
        if status == 401 { headers.append(("WWW-Authenticate", header("Authenticate"))) }
        if status == 429 || status == 503 { headers.append(("Retry-After", header("RetryAfter"))) }
        let types = JSONValue.fields([("type", .fields([("enum", .array(problems.map { .string($0.uri) }))]))])
        let schema = JSONValue.fields([
            ("allOf", .array([.object(["$ref": .string("#/components/schemas/Problem")])])),
            ("properties", types),
        ])
        let example = JSONValue.fields([
            ("type", problems.first.map { .string($0.uri) }),
            ("title", problems.first.map { .string($0.title) }),
            ("status", .integer(status)),
            ("instance", .string("5f0c3d2a9b7e4c61")),
        ])
        let media = JSONValue.fields([("schema", schema), ("example", example)])
        return .fields([
            ("description", .string(problems.map { "`\($0.name)`: \($0.title)." }.joined(separator: " "))),
            ("headers", .fields(headers)),
            ("content", .object(["application/problem+json": media])),
        ])
    }

    private static let commonHeaders: AdminJSON.Fields = [
        ("X-Request-Id", header("RequestId")), ("Cache-Control", header("CacheControl")),
        ("traceparent", header("Trace")),
    ]

    private static func header(_ component: String) -> JSONValue {
        .object(["$ref": .string("#/components/headers/\(component)")])
    }
}
