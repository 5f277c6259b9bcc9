import HTTPTypes
import Hummingbird
import KeyServerModule
import KeyStore
import KeyStoreTestSupport
import Testing
import TextCoding

@testable import KeyServer

@Suite("The OpenAPI document")
struct OpenAPIDocumentTests {
    private static let administration = Administration(
        store: InMemoryKeyStore(),
        authenticator: SingleAdminToken(LicenseServer.token)
    )

    private func routes() throws -> Set<String> {
        let router = Listener.makeRouter()
        let module = try KSM(bundles: [])
        let pool = BoundedWorkPool(threads: 1, capacity: 1)
        defer { pool.stop() }
        let service = LicenseService(bundles: BundleCache(module), store: InMemoryKeyStore(), pool: pool)
        LicenseRoutes(service: service, authorizer: AccountAuthorizer(), limits: ListenerLimits())
            .add(to: router)
        let others = OtherClientService(licenses: service, authorizer: AccountAuthorizer(), signer: nil)
        OtherClientRoutes(service: others, clients: Set(OtherClientKind.allCases)).add(to: router)
        Readiness(checks: []).add(to: router)
        ServerMetrics().registry.add(to: router)
        Self.administration.add(to: router)
        return Set(router.routes.map { "\($0.method) \($0.path)" })
    }

    @Test("Every route is described, and every description is a route")
    func complete() throws {
        let routes = try routes()
        let described = Set(OpenAPIDocument.operations.map { "\($0.method) \($0.path)" })
        #expect(routes.subtracting(described).sorted() == [])
        #expect(described.subtracting(routes).sorted() == [])
        #expect(described.count == OpenAPIDocument.operations.count)
        #expect(Set(OpenAPIDocument.operations.map(\.id)).count == described.count)
    }

    @Test("Operations for administration list the permitted roles")
    func roles() throws {
        for endpoint in Self.administration.endpoints {
            let operation = OpenAPIDocument.operations.first {
                $0.method == endpoint.method && $0.path == endpoint.path
            }
            guard case .administration(let permission)? = operation?.security else {
                Issue.record("\(endpoint.path) is not described as administration")
                continue
            }
            #expect(permission == endpoint.permission, "\(endpoint.path)")
        }
    }

    @Test("Every schema can be parsed and every reference exists")
    func references() throws {
        for schema in OpenAPISchemas.all {
            let value = try JSONValue(parsing: Array(schema.json.utf8), maximumDepth: 32)
            #expect(value != .null, "\(schema.name)")
        }
        let json = OpenAPIDocument.json(otherClients: Set(OtherClientKind.allCases))
        let document = try JSONValue(parsing: json, maximumDepth: 64)
        var references: Set<String> = []
        var nulls = 0
        func visit(_ value: JSONValue) {
            switch value {
            case .object(let fields):
                if case .string(let reference)? = fields["$ref"] { references.insert(reference) }
                for member in fields { visit(member.value) }
            case .array(let values):
                for value in values { visit(value) }
            case .null: nulls += 1
            default: break
            }
        }
        visit(document)
        // A fragment that cannot be parsed is null.
        #expect(nulls == 0)
        for reference in references {
            var place = document
            for part in reference.dropFirst(2).split(separator: "/") {
                guard case .object(let fields) = place else { break }
                place = fields[String(part)] ?? .null
            }
            #expect(place != .null, "\(reference)")
        }
        let names = Set(OpenAPISchemas.all.map { "#/components/schemas/\($0.name)" })
        #expect(names.subtracting(references).sorted() == [])
    }

    @Test("Every problem type is in an operation, except those that belong to none")
    func problems() {
        let described = Set(OpenAPIDocument.operations.flatMap(\.allProblems))
        #expect(Set(ProblemType.all).subtracting(described) == [.methodNotAllowed])
    }

    @Test("The enumerations match the code")
    func enumerations() throws {
        func values(_ schema: String, _ property: String) -> [String] {
            guard let json = OpenAPISchemas.all.first(where: { $0.name == schema })?.json,
                case .object(let fields) = OpenAPIDocument.parsed(json),
                case .object(let properties)? = fields["properties"] ?? .object(["": .object(fields)]),
                case .object(let value)? = properties[property], case .array(let names)? = value["enum"]
            else { return [] }
            return names.map { if case .string(let name) = $0 { name } else { "" } }
        }
        #expect(values("Track", "") == ContentTrack.allCases.map(\.rawValue))
        #expect(values("Token", "role") == AdminRole.allCases.map(\.rawValue))
        #expect(values("TokenValues", "role") == AdminRole.allCases.map(\.rawValue))
        #expect(values("Lease", "purpose") == SlotClaim.Purpose.allCases.map(\.rawValue))
        #expect(values("Session", "role") == AdminRole.allCases.map(\.rawValue))
        let permissions = AdminPermission.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        #expect(OpenAPISchemas.all.first { $0.name == "Session" }?.json.contains("[\(permissions)]") == true)
        #expect(values("ActivityOutcome", "") == ServerMetrics.Outcome.allCases.map(\.rawValue))
        #expect(values("OfflineLicense", "end") == OfflineLicenseRecord.End.allCases.map(\.rawValue))
        #expect(values("Certificate", "kind") == CertificateBundleRecord.Kind.allCases.map(\.rawValue))
    }

    @Test("It requires no token")
    func served() async throws {
        try await LicenseServer.run { server in
            let answer = try await server.send("GET", "/openapi.json")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(answer.body == OpenAPIDocument.json(otherClients: []))
        }
    }

    @Test("Routes that are not configured are omitted")
    func otherClients() throws {
        func paths(_ clients: Set<OtherClientKind>) throws -> Set<String> {
            let document = try JSONValue(parsing: OpenAPIDocument.json(otherClients: clients), maximumDepth: 64)
            guard case .object(let fields) = document, case .object(let paths)? = fields["paths"] else { return [] }
            return Set(paths.keys)
        }
        let all = try paths(Set(OtherClientKind.allCases))
        #expect(all == Set(OpenAPIDocument.operations.map(\.path)))
        #expect(try all.subtracting(paths([])) == ["/clearkey", "/keys/{kid}"])
        #expect(try all.subtracting(paths([.clearKey])) == ["/keys/{kid}"])
        #expect(try all.subtracting(paths([.aes128])) == ["/clearkey"])
    }
}
