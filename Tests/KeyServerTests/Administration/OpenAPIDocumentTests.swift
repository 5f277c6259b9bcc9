import HTTPTypes
import Hummingbird
import KeyServerModule
import KeyStore
import KeyStoreTestSupport
import Testing
import TextCoding

@testable import KeyServer

@Suite("The OpenAPI document", .timeLimit(.minutes(10)))
struct OpenAPIDocumentTests {
    private static let administration = Administration(
        store: InMemoryKeyStore(),
        authenticator: SingleAdminToken(LicenseServer.token)
    )

    private func routes() throws -> Set<String> {
        var setup = TestApplication()
        setup.configuration.licenses.otherClients = Set(OtherClientKind.allCases)
        let application = try setup.application()
        let all = application.publicRouter.routes + (application.adminRouter?.routes ?? [])
        // The pages of the dashboard are not part of the interface.
        let described = all.filter { $0.path.description != "/" && !$0.path.description.hasPrefix("/dashboard") }
        return Set(described.map { "\($0.method) \($0.path)" })
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

    @Test("Every operation lists the roles that have its permission")
    func roles() {
        let endpoints = Self.administration.endpoints + Self.administration.encoding
        for endpoint in endpoints {
            let roles = AdminRole.allCases.filter { $0.allows(endpoint.permission) }.map {
                JSONValue.string($0.rawValue)
            }
            var expected: [JSONValue] = ["adminToken", "adminSession"].map { .fields([($0, .array(roles))]) }
            if AdminRole.encoder.allows(endpoint.permission) {
                expected.append(.fields([("clientCertificate", .array([]))]))
            }
            let operation = OpenAPIDocument.operations.first {
                $0.method == endpoint.method.rawValue && $0.path == endpoint.path
            }
            #expect(operation?.json["security"] == .array(expected), "\(endpoint.method) \(endpoint.path)")
        }
        let others = OpenAPIDocument.operations.filter { operation in
            !endpoints.contains { $0.method.rawValue == operation.method && $0.path == operation.path }
        }
        for operation in others {
            let schemes = operation.json["security"]?.items?.flatMap { scheme in
                if case .object(let object) = scheme { object.keys } else { [""] }
            }
            #expect(schemes?.contains { $0.hasPrefix("admin") } == false, "\(operation.path)")
        }
    }

    @Test("The file is converted without its shared values; every reference exists, and every component is used")
    func references() {
        let document = OpenAPIDocument.complete
        var references: Set<String> = []
        document.visit { path, value in
            if path.last == "$ref", let text = value.text { references.insert(text) }
            // A merge key or an extension that was not resolved, or a fragment that could not be parsed.
            #expect(path.last != "<<" && path.last?.hasPrefix("x-") != true && value != .null, "\(path)")
        }
        for operation in OpenAPIDocument.operations {
            for scheme in operation.json["security"]?.items ?? [] {
                guard case .object(let object) = scheme else { continue }
                references.formUnion(object.keys.map { "#/components/securitySchemes/\($0)" })
            }
        }
        var components: Set<String> = []
        document["components"]?.visit { path, _ in
            if path.count == 2 { components.insert("#/components/" + path.joined(separator: "/")) }
        }
        #expect(components.count > 80)
        #expect(references.subtracting(components).sorted() == [])
        #expect(components.subtracting(references).sorted() == [])
    }

    @Test("Every tag is listed, and every listed tag is used")
    func tags() {
        let listed = OpenAPIDocument.complete["tags"]?.items?.compactMap { $0["name"]?.text } ?? []
        let used = OpenAPIDocument.operations.flatMap { $0.json["tags"]?.items ?? [] }.compactMap(\.text)
        #expect(!listed.isEmpty && Set(listed).count == listed.count)
        #expect(Set(listed) == Set(used))
    }

    @Test("Every problem type is in a response of its status, except one that belongs to no operation")
    func problems() throws {
        var described: Set<ProblemType> = []
        for operation in OpenAPIDocument.operations {
            for (status, component) in operation.problems {
                for name in OpenAPIDocument.problemNames[component] ?? [] {
                    let type = try #require(ProblemType.all.first { $0.name == name }, "\(component): \(name)")
                    #expect("\(type.status.code)" == status, "\(operation.path): \(name)")
                    described.insert(type)
                }
            }
        }
        #expect(Set(ProblemType.all).subtracting(described) == [.methodNotAllowed])
    }

    @Test("The responses for problems have the types, titles and headers of the code")
    func problemResponses() throws {
        #expect(!OpenAPIDocument.problemNames.isEmpty)
        for (component, names) in OpenAPIDocument.problemNames {
            let response = try #require(OpenAPIDocument.complete["components"]?["responses"]?[component])
            let media = try #require(response["content"]?["application/problem+json"])
            let types = names.compactMap { name in ProblemType.all.first { $0.name == name } }
            let first = try #require(types.first)
            #expect(types.count == names.count, "\(component)")
            #expect(media["schema"]?["properties"]?["type"]?["enum"] == .array(types.map { .string($0.uri) }))
            for type in types {
                #expect(response["description"]?.text?.contains("`\(type.name)`: \(type.title).") == true)
            }
            // The example is what the server sends.
            let sent = ProblemDocument(first).json(instance: media["example"]?["instance"]?.text)
            #expect(media["example"] == sent, "\(component)")
            let more = [401: ["WWW-Authenticate"], 429: ["Retry-After"], 503: ["Retry-After"]][first.status.code] ?? []
            let headers = ["Cache-Control", "X-Request-Id", "traceparent"] + more
            guard case .object(let described)? = response["headers"] else { continue }
            #expect(Set(described.keys) == Set(headers), "\(component)")
        }
    }

    @Test("An operation lists the problems that all operations of its kind have")
    func commonProblems() {
        for operation in OpenAPIDocument.operations {
            let statuses = Set(operation.problems.keys)
            let security = operation.json["security"]?.items ?? []
            if security.contains(where: { $0["adminToken"] != nil }) {
                #expect(statuses.isSuperset(of: ["400", "401", "403", "429", "500", "503"]), "\(operation.path)")
            }
            if security.contains(where: { $0["playbackToken"] != nil }) {
                #expect(
                    statuses.isSuperset(of: ["400", "401", "403", "404", "429", "500", "503"]),
                    "\(operation.path)"
                )
            }
            // Clear Key requests are accepted with any Content-Type.
            let body: Set = operation.path == "/clearkey" ? ["408", "413"] : ["408", "413", "415"]
            let hasBody = operation.json["requestBody"] != nil
            #expect(statuses.intersection(["408", "413", "415"]) == (hasBody ? body : []), "\(operation.path)")
        }
    }

    @Test("The enumerations match the code, and no other schema has one")
    func enumerations() {
        let roles = AdminRole.allCases.map(\.rawValue)
        let expected = [
            "schemas/Track": ContentTrack.allCases.map(\.rawValue),
            "schemas/Token/role": roles,
            "schemas/TokenValues/role": roles,
            "schemas/Session/role": roles,
            "schemas/Session/permissions/items": AdminPermission.allCases.map(\.rawValue),
            "schemas/Lease/purpose": SlotClaim.Purpose.allCases.map(\.rawValue),
            "schemas/OfflineLicense/end": OfflineLicenseRecord.End.allCases.map(\.rawValue),
            "schemas/ActivityOutcome": ServerMetrics.Outcome.allCases.map(\.rawValue),
            "schemas/PolicyChange/change": PolicyChange.Kind.allCases.map(\.rawValue),
            "schemas/Certificate/kind": CertificateBundleRecord.Kind.allCases.map(\.rawValue),
            "schemas/AuditVerification/break/fault": AuditVerification.Fault.allCases.map(\.rawValue),
            "paths//admin/activity/get/parameters/schema": Activity.Window.allCases.map(\.rawValue),
            "paths//speke/v2.0/copyProtection/post/parameters/schema": SPEKEVersion.allCases.map(\.rawValue),
            "paths//speke/v2.1/copyProtection/post/parameters/schema": SPEKEVersion.allCases.map(\.rawValue),
            "headers/SpekeVersion/schema": SPEKEVersion.allCases.map(\.rawValue),
        ]
        // Without an enumeration in the code: the tests of the routes check the values.
        let others: Set = [
            "schemas/SyncReport/sync/version", "schemas/ClearKeyRequest/type", "schemas/Certificate/privateKey",
            "schemas/Certificate/dask", "schemas/Inspection/kind", "headers/Persistable/schema",
            "headers/DualExpiry/schema", "parameters/sort/schema", "parameters/sortByName/schema",
            "parameters/order/schema",
        ]
        var found: [String: [String]] = [:]
        OpenAPIDocument.file.visit { path, value in
            guard path.last == "enum", case .array(let items) = value, path.first != "x-shared" else { return }
            let names = path.dropLast().filter { $0 != "properties" && $0 != "components" }
            found[names.joined(separator: "/")] = items.map { $0.text ?? "\($0)" }
        }
        for (place, values) in expected { #expect(found[place] == values, "\(place)") }
        #expect(Set(found.keys) == others.union(expected.keys))
    }

    @Test("The limits match the code")
    func limits() {
        let components = OpenAPIDocument.complete["components"]
        let limit = components?["parameters"]?["limit"]?["schema"]
        #expect(limit?["minimum"]?.wholeNumber == AdminPage.limits.lowerBound)
        #expect(limit?["maximum"]?.wholeNumber == AdminPage.limits.upperBound)
        #expect(limit?["default"]?.wholeNumber == AdminPage.defaultLimit)
        for name in ["PeriodValues", "ChannelValues"] {
            let properties = components?["schemas"]?[name]?["properties"]
            #expect(properties?["ahead"]?["maximum"]?.wholeNumber == Int(ChannelRecord.longestAhead), "\(name)")
            #expect(properties?["length"]?["minimum"]?.wholeNumber == Int(ChannelRecord.lengths.lowerBound), "\(name)")
            #expect(properties?["length"]?["maximum"]?.wholeNumber == Int(ChannelRecord.lengths.upperBound), "\(name)")
        }
        let tracks = components?["schemas"]?["ChannelValues"]?["properties"]?["tracks"]
        #expect(tracks?["maxItems"]?.wholeNumber == ChannelRecord.maximumTracks)
        let search = OpenAPIDocument.operations.first { $0.id == "listAudit" }?.json["parameters"]?.items?.first
        #expect(search?["name"]?.text == "search")
        #expect(search?["schema"]?["maxLength"]?.wholeNumber == AuditSearch.limit)
        let names = OpenAPIDocument.operations.first { $0.id == "search" }?.json["parameters"]?.items?.last?["schema"]
        #expect(names?["minimum"]?.wholeNumber == SearchRoutes.limits.lowerBound)
        #expect(names?["maximum"]?.wholeNumber == SearchRoutes.limits.upperBound)
        #expect(names?["default"]?.wholeNumber == SearchRoutes.defaultLimit)
    }

    @Test("The schema of policies is that of the code")
    func policies() {
        #expect(OpenAPIDocument.complete["components"]?["schemas"]?["Policy"] == LicensePolicy.openAPISchema)
        #expect(LicensePolicy.openAPISchema["properties"]?["lease"] != nil)
    }

    @Test("The schema of policies has every field with a description")
    func policyFields() throws {
        let document = try JSONValue(parsing: OpenAPIDocument.json(otherClients: []), maximumDepth: 64)
        let properties = document["components"]?["schemas"]?["Policy"]?["properties"]
        guard case .object(let properties)? = properties else {
            Issue.record("there is no schema")
            return
        }
        #expect(Set(properties.keys) == Set(PolicyField.all.map(\.name)))
        for property in properties { #expect(property.value["description"]?.text?.isEmpty == false, "\(property.key)") }
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
