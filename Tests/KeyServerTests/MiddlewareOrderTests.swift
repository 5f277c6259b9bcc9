import Testing
import TextCoding

@testable import KeyServer

/// The order of the middleware of the real routers: the same test in memory and over connections.
@Suite("The order of middleware", .timeLimit(.minutes(10)))
struct MiddlewareOrderTests {
    private static let origin = "https://player.example"
    /// A client behind a proxy.
    private static let home = ["X-Forwarded-For": "192.0.2.1"]
    /// A web page in that client's browser.
    private static let page = ["X-Forwarded-For": "192.0.2.1", "Origin": origin]
    private static let administrator = [
        "X-Forwarded-For": "192.0.2.1", "Authorization": "Bearer \(LicenseServer.token)",
    ]

    /// A server that permits two requests from an address, and requests from a web page.
    private var setup: TestApplication {
        var setup = TestApplication()
        setup.configuration.crossOrigin = .listed([Self.origin])
        setup.configuration.limits.rates.other.address = RateLimit(perMinute: 1, burst: 2)
        setup.environment.time.nanoseconds = { 0 }
        return setup
    }

    /// Sends the requests that the address may send.
    private func exhaust(_ client: ApplicationClient) async throws {
        for _ in 0..<2 { #expect(try await client.send("POST", "/fps/challenge", Self.home).status == 200) }
    }

    private func samples(_ client: ApplicationClient, _ name: String) async throws -> [ExpositionParser.Sample] {
        let text = try await client.send("GET", "/metrics", to: .administration).text
        return try ExpositionParser.parse(text).first { $0.name == name }?.samples ?? []
    }

    private func count(
        _ client: ApplicationClient,
        _ name: String,
        _ labels: [String: String]
    ) async throws -> Double {
        try await samples(client, name).filter { $0.labels.merging(labels) { $1 } == $0.labels }
            .reduce(0) { $0 + $1.value }
    }

    @Test("Rate limits apply to all routes for players and to unknown paths", arguments: Transport.allCases)
    func limited(transport: Transport) async throws {
        try await setup.run(transport) { client in
            try await exhaust(client)
            for (method, path) in [
                ("POST", "/fps/challenge"), ("GET", "/fps/challenge"), ("GET", "/fps/certificate"),
                ("POST", "/fps/license"), ("POST", "/fps/licenses"), ("GET", "/nothing"), ("GET", "/admin/policies"),
            ] {
                #expect(try await client.send(method, path, Self.home).status == 429, "\(method) \(path)")
            }
            let elsewhere = ["X-Forwarded-For": "192.0.2.2"]
            #expect(try await client.send("POST", "/fps/challenge", elsewhere).status == 200)
        }
    }

    @Test(
        "Health checks, preflight requests, other spellings and administration are not rate-limited",
        arguments: Transport.allCases
    )
    func unlimited(transport: Transport) async throws {
        try await setup.run(transport) { client in
            try await exhaust(client)
            #expect(try await client.send("GET", "/healthz", Self.home).status == 200)
            // This server has no certificate.
            #expect(try await client.send("GET", "/readyz", Self.home).status == 503)
            #expect(try await client.send("GET", "//fps/certificate", Self.home).status == 404)
            let preflight = Self.page.merging(["Access-Control-Request-Method": "POST"]) { $1 }
            let allowed = try await client.send("OPTIONS", "/fps/license", preflight)
            #expect(allowed.status == 204 && allowed.headers["access-control-allow-origin"] == Self.origin)
            let policies = try await client.send("GET", "/admin/policies", to: .administration, Self.administrator)
            #expect(policies.status == 200)
            #expect(try await client.send("POST", "/fps/challenge", Self.home).status == 429)
        }
    }

    @Test("A refusal by a rate limit is logged, counted, and readable by web pages", arguments: Transport.allCases)
    func refusal(transport: Transport) async throws {
        let setup = setup
        try await setup.run(transport) { client in
            try await exhaust(client)
            #expect(try await client.send("GET", "/healthz", Self.home).status == 200)
            let refused = try await client.send("POST", "/fps/challenge", Self.page)
            #expect(refused.status == 429)
            #expect(refused.headers["content-type"] == "application/problem+json")
            #expect(refused.headers["retry-after"] == "60")
            #expect(refused.headers["cache-control"] == "no-store")
            #expect(refused.headers["access-control-allow-origin"] == Self.origin)
            #expect(refused.json["instance"] != nil && refused.headers["x-request-id"] != nil)
            let trace = TraceContext(traceparent: refused.headers["traceparent"]).traceID

            let route = ["method": "POST", "route": "/fps/challenge"]
            for (status, expected) in ["200": 2.0, "429": 1] {
                let labels = route.merging(["status": status]) { $1 }
                #expect(try await count(client, "keyway_http_requests_total", labels) == expected, "\(status)")
            }
            let labels = ["by": "address", "class": "other"]
            #expect(try await count(client, "keyway_rate_limited_total", labels) == 1)
            let lines = setup.log.text.split(separator: "\n").filter { $0.contains(" request ") }
            // Not only the number, which random IDs can contain.
            let refusals = lines.filter { $0.contains("\"status\": 429") && $0.contains("/fps/challenge") }
            #expect(refusals.count == 1 && refusals[0].hasPrefix("info") && refusals[0].contains(trace))
            // Health checks are not in the log at its usual level.
            let checks = lines.filter { $0.contains("/healthz") }
            #expect(checks.count == 1 && checks[0].hasPrefix("debug"))
        }
    }

    @Test("Web pages can read refusals by routes for players, and nothing else", arguments: Transport.allCases)
    func pages(transport: Transport) async throws {
        try await setup.run(transport) { client in
            // This server has no certificate.
            let missing = try await client.send("GET", "/fps/certificate", Self.page)
            #expect(missing.status == 404 && missing.headers["access-control-allow-origin"] == Self.origin)
            let preflight = Self.page.merging(["Access-Control-Request-Method": "GET"]) { $1 }
            for (method, headers) in [("GET", Self.page), ("OPTIONS", preflight)] {
                let answer = try await client.send(method, "/admin/policies", to: .administration, headers)
                #expect(answer.status >= 400, "\(method)")
                #expect(!answer.headers.keys.contains { $0.hasPrefix("access-control") }, "\(method)")
            }
        }
    }

    @Test("With --dev, one listener serves administration too, without rate limits", arguments: Transport.allCases)
    func development(transport: Transport) async throws {
        var setup = setup
        setup.configuration.admin.listen = nil
        setup.environment.isDevelopment = true
        let adminRouter = try setup.application().adminRouter
        #expect(adminRouter == nil)
        try await setup.run(transport) { client in
            try await exhaust(client)
            for path in ["/admin/policies", "/metrics", "/openapi.json", "/dashboard"] {
                #expect(try await client.send("GET", path, Self.administrator).status == 200, "\(path)")
            }
            #expect(try await client.send("GET", "/player", Self.home).status == 429)
        }
    }

    @Test("Without --dev and without an address for it, there is no administration", arguments: Transport.allCases)
    func noAdministration(transport: Transport) async throws {
        var setup = setup
        setup.configuration.admin.listen = nil
        setup.configuration.limits.rates = .unlimited
        try await setup.run(transport) { (client: ApplicationClient) async throws in
            for path in ["/admin/policies", "/metrics", "/openapi.json", "/dashboard", "/"] {
                #expect(try await client.send("GET", path, Self.administrator).status == 404, "\(path)")
            }
        }
    }

    /// Requests are shed by the connection, which only a listener has.
    @Test("Load is shed before requests are routed, logged and rate-limited, but requests of web pages are routed")
    func shedding() async throws {
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (may, finishing) = AsyncStream.makeStream(of: Void.self)
        var setup = setup
        // There is capacity for one request.
        setup.pool = BoundedWorkPool(threads: 1, capacity: 0)
        setup.environment.authorizer = GatedAuthorizer(begins: { beginning.yield() }) { for await _ in may { break } }
        let body = ["Content-Type": "application/octet-stream"]
        try await setup.run(.live) { [setup] client in
            @Sendable func license(_ headers: [String: String]) async throws -> ReceivedResponse {
                try await client.send("POST", "/fps/license", headers.merging(body) { $1 }, [1])
            }
            async let first = license(["X-Forwarded-For": "192.0.2.9"])
            for await _ in begun { break }
            for _ in 0..<4 {
                let shed = try await license(Self.home)
                #expect(shed.status == 503 && shed.headers["retry-after"] == "1")
                #expect(shed.headers["traceparent"] == nil)
            }
            // These requests were not charged.
            for expected in [404, 404, 429] {
                #expect(try await client.send("GET", "/fps/certificate", Self.home).status == expected)
            }
            #expect(try await license(Self.home).status == 503)
            let page = try await license(Self.page)
            #expect(page.status == 429 && page.headers["access-control-allow-origin"] == Self.origin)
            #expect(try await client.send("GET", "/healthz", Self.home).status == 200)

            let labels = ["method": "POST", "route": "/fps/license", "status": "503"]
            #expect(try await count(client, "keyway_http_requests_total", labels) == 5)
            let failed = ["outcome": "failed", "reason": "overloaded"]
            #expect(try await count(client, "keyway_licenses_total", failed) == 5)
            #expect(!setup.log.text.contains("\"status\": 503"))
            finishing.yield()
            #expect(try await first.status == 400)
        }
    }
}
