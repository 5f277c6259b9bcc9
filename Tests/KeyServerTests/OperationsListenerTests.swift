import HTTPTypes
import Hummingbird
import KeyServerModule
import KeyStore
import KeyStoreTestSupport
import Logging
import NIOCore
import Testing

@testable import KeyServer

@Suite("The behavior of a listener for every route", .timeLimit(.minutes(10)))
struct OperationsListenerTests {
    /// There is no deadline, because a machine that is busy with other tests may be slow.
    private static let noDeadline: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(600)) }

    /// Routes that return values of the context.
    private func router(
        proxies: TrustedProxies = .none,
        crossOrigin: CrossOrigin.Origins? = nil,
        metrics: ServerMetrics? = nil
    ) -> Router<ServerRequestContext> {
        let router = Listener.makeRouter(proxies: proxies, crossOrigin: crossOrigin, metrics: metrics)
        router.get("/who") { _, context in context.remoteAddress ?? "-" }
        router.post("/license") { _, _ in Response(status: .ok, headers: [.contentType: "text/plain"]) }
        router.get("/public") { _, _ in Response(status: .ok, headers: [.cacheControl: "public, max-age=300"]) }
        router.get("/fault") { _, _ -> String in throw Fault() }
        return router
    }

    private func permissions(_ headers: [String: String]) -> [String] {
        headers.keys.filter { $0.hasPrefix("access-control") }
    }

    private var loopback: TrustedProxies { TrustedProxies([IPNetwork(rawValue: "127.0.0.0/8")!]) }

    @Test("The client's address is read from a trusted proxy only")
    func addresses() async throws {
        let forwarded = [("X-Forwarded-For", "198.51.100.7, 203.0.113.9")]
        try await withOperationsServer(router()) { port, _ in
            let answer = try await fetch(port, "/who", headers: forwarded)
            #expect(answer.body == "127.0.0.1")
        }
        try await withOperationsServer(router(proxies: loopback)) { port, _ in
            let answer = try await fetch(port, "/who", headers: forwarded)
            #expect(answer.body == "203.0.113.9")
            let two = try await fetch(
                port,
                "/who",
                headers: [("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-For", "[2001:db8::9]:5")]
            )
            #expect(two.body == "2001:db8::9")
        }
    }

    @Test("Responses must not be cached unless a route allows it")
    func noStore() async throws {
        try await withOperationsServer(router()) { port, _ in
            for (path, method, expected) in [
                ("who", "GET", "no-store"), ("license", "POST", "no-store"), ("fault", "GET", "no-store"),
                ("nothing", "GET", "no-store"), ("public", "GET", "public, max-age=300"),
            ] {
                let answer = try await fetch(port, "/\(path)", method: method)
                #expect(answer.headers["cache-control"] == expected, "\(path)")
            }
        }
    }

    @Test("The trace of a request is in its response and in its log; without one a trace starts")
    func traces() async throws {
        let log = LogRecorder()
        let id = "4bf92f3577b34da6a3ce929d0e0e4736"
        try await withOperationsServer(router(), log: log) { port, _ in
            let parent = "00-\(id)-00f067aa0ba902b7-01"
            let answer = try await fetch(port, "/fault", headers: [("traceparent", parent)])
            let trace = try #require(answer.headers["traceparent"])
            #expect(trace.hasPrefix("00-\(id)-") && trace.hasSuffix("-01") && trace != parent)
            let fresh = try await fetch(port, "/who").headers["traceparent"]
            #expect(TraceContext(traceparent: fresh).parentID != nil)
            #expect(fresh?.contains(id) == false)
            let two = [("traceparent", parent), ("traceparent", parent)]
            let doubled = try await fetch(port, "/who", headers: two).headers["traceparent"]
            #expect(doubled?.contains(id) == false)
        }
        #expect(log.text.split(separator: "\n").filter { $0.contains(id) }.count >= 2)
    }

    @Test("A listed page may read responses, also after a preflight request; other pages may not")
    func crossOrigin() async throws {
        let origins = CrossOrigin.Origins.listed(["https://a.example", "http://b.example:8080"])
        try await withOperationsServer(router(crossOrigin: origins)) { port, _ in
            let url = "/license"
            for origin in ["https://a.example", "http://b.example:8080"] {
                let before = try await fetch(
                    port,
                    url,
                    method: "OPTIONS",
                    headers: [("Origin", origin), ("Access-Control-Request-Method", "POST")]
                )
                #expect(before.status == 204)
                #expect(before.headers["access-control-allow-origin"] == origin)
                #expect(before.headers["access-control-allow-methods"]?.contains("POST") == true)
                #expect(before.headers["access-control-allow-headers"]?.contains("authorization") == true)
                let answer = try await fetch(port, url, method: "POST", headers: [("Origin", origin)])
                #expect(answer.headers["access-control-allow-origin"] == origin)
                #expect(answer.headers["vary"] == "Origin")
                #expect(answer.headers["access-control-allow-credentials"] == nil)
            }
            for origin in ["https://c.example", "null", "https://a.example.evil", "https://A.example", ""] {
                let before = try await fetch(
                    port,
                    url,
                    method: "OPTIONS",
                    headers: [("Origin", origin), ("Access-Control-Request-Method", "POST")]
                )
                #expect(permissions(before.headers).isEmpty, "\(origin)")
                let answer = try await fetch(port, url, method: "POST", headers: [("Origin", origin)])
                #expect(answer.status == 200)
                #expect(permissions(answer.headers).isEmpty, "\(origin)")
            }
            // A problem document is readable too.
            let problem = try await fetch(port, "/fault", headers: [("Origin", "https://a.example")])
            #expect(problem.status == 500 && problem.headers["access-control-allow-origin"] == "https://a.example")
        }
        try await withOperationsServer(router(crossOrigin: .all)) { port, _ in
            let answer = try await fetch(port, "/who", headers: [("Origin", "https://x.example")])
            #expect(answer.headers["access-control-allow-origin"] == "*")
            #expect(answer.headers["access-control-allow-credentials"] == nil)
        }
        try await withOperationsServer(router()) { port, _ in
            let answer = try await fetch(port, "/who", headers: [("Origin", "https://a.example")])
            #expect(permissions(answer.headers).isEmpty)
        }
    }

    @Test("Too many requests from an address get 429 and Retry-After; other addresses and probes are not affected")
    func rateLimit() async throws {
        var setup = TestApplication()
        setup.configuration.limits.rates.other.address = RateLimit(perMinute: 1, burst: 2)
        setup.environment.time.nanoseconds = { 0 }
        try await setup.run { running in
            func ask(_ path: String, _ address: String) async throws -> (status: Int, retry: String?, body: String) {
                let headers = [("X-Forwarded-For", address)]
                let answer = try await fetch(running.port, "/\(path)", method: "POST", headers: headers)
                return (answer.status, answer.headers["retry-after"], answer.body)
            }
            #expect(try await ask("fps/challenge", "192.0.2.1").status == 200)
            #expect(try await ask("fps/challenge", "192.0.2.1").status == 200)
            let refused = try await ask("fps/challenge", "192.0.2.1")
            #expect(refused.status == 429)
            #expect(refused.retry == "60")
            #expect(refused.body.contains("urn:keyway:problem:rate-limited"))
            #expect(try await ask("fps/challenge", "192.0.2.2").status == 200)
            for probe in ["/healthz", "/readyz"] {
                let answer = try await fetch(running.port, probe, headers: [("X-Forwarded-For", "192.0.2.1")])
                #expect(answer.status == (probe == "/healthz" ? 200 : 503), "\(probe)")
            }
        }
    }

    @Test("The metrics have their format, and count requests by route and not by path")
    func metrics() async throws {
        let metrics = ServerMetrics()
        let router = router(metrics: metrics)
        router.get("/things/:name") { _, _ in "thing" }
        metrics.registry.add(to: router)
        try await withOperationsServer(router) { port, _ in
            for path in ["things/secret-1", "things/secret-2", "nowhere/secret-3"] {
                _ = try await fetch(port, "/\(path)")
            }
            let answer = try await fetch(port, "/metrics")
            #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            let families = try ExpositionParser.parse(answer.body)
            let requests = try #require(families.first { $0.name == "keyway_http_requests_total" })
            let thing = requests.samples.first { $0.labels["route"]?.hasPrefix("/things/") == true }
            #expect(thing?.value == 2)
            let labels = requests.samples.map(\.labels)
            #expect(labels.contains(["method": "GET", "route": "other", "status": "404"]))
            #expect(!answer.body.contains("secret"))
        }
    }

    @Test("A server that cannot validate tokens is not ready")
    func keysOfIssuers() async throws {
        let (key, clock, ready) = (FreshKey(id: "a"), AuthorizationClock(), Switch<Int64>(0))
        let jwks = MockService.text(#"{"keys":[\#(key.jwk)]}"#)
        try await MockService.run(MockService.text("", status: .internalServerError)) { service in
            let issuer = TokenIssuer(
                issuer: "i",
                audience: "a",
                keys: .url(try service.url()),
                algorithms: [.es256],
                clockSkew: 30
            )
            let tokens = try JWTAuthorizer(
                issuers: [issuer],
                pool: nil,
                timeout: .seconds(120),
                http: .patient,
                logger: authorizationTestLogger,
                clock: clock.now
            )
            let checks = Readiness.checks(
                store: InMemoryKeyStore(),
                bundles: BundleCache(configuration: .init(), allowsDevelopment: false),
                authorizer: tokens
            )
            let readiness = Readiness(
                checks: checks,
                clock: { ready.value },
                deadline: Self.noDeadline
            )
            #expect(await readiness.failing() == ["certificates", "authorization"])
            service.answer(jwks)
            clock.advance(seconds: 5)
            ready.value = 1_000_000_000
            #expect(await readiness.failing() == ["certificates"])
        }
    }

    @Test("A server is ready if all checks pass, and checks at most once per second")
    func readiness() async throws {
        let order = Switch(true)
        let clock = Switch<Int64>(0)
        let looks = Switch(0)
        let readiness = Readiness(
            checks: [
                .init("store") {
                    looks.value += 1
                    return order.value
                }, .init("certificates") { true },
            ],
            clock: { clock.value },
            deadline: Self.noDeadline
        )
        let router = Listener.makeRouter()
        readiness.add(to: router)
        try await withOperationsServer(router) { port, _ in
            let url = "/readyz"
            let first = try await fetch(port, url)
            #expect(first.status == 200 && first.body == "ready\n")
            order.value = false
            #expect(try await fetch(port, url).status == 200)
            #expect(looks.value == 1)
            clock.value = 1_000_000_000
            let second = try await fetch(port, url)
            #expect(second.status == 503 && second.body == "store\n")
            order.value = true
            clock.value = 2_000_000_000
            #expect(try await fetch(port, url).status == 200)
            readiness.stop()
            let last = try await fetch(port, url)
            #expect(last.status == 503 && last.body == "stopping\n")
        }
    }

    @Test(
        "A check without a result makes the server unready after the timeout, is not repeated meanwhile, and recovers"
    )
    func stalledCheck() async throws {
        let (clock, looks, deadlinePasses) = (Switch<Int64>(0), Switch(0), Switch(true))
        let (stalled, release) = AsyncStream<Void>.makeStream()
        let readiness = Readiness(
            checks: [
                .init("store") {
                    looks.value += 1
                    if looks.value == 1 { for await _ in stalled {} }
                    return true
                }
            ],
            clock: { clock.value },
            deadline: { if !deadlinePasses.value { try await Task.sleep(for: .seconds(86_400)) } }
        )
        #expect(await readiness.failing() == ["store"])
        for second: Int64 in 1...3 {
            clock.value = second * 1_000_000_000
            #expect(await readiness.failing() == ["store"])
        }
        #expect(looks.value == 1)
        deadlinePasses.value = false
        release.finish()
        // The end of the check is recorded shortly afterwards.
        try await eventually("the store is ready") {
            if await readiness.failing() != ["store"] { return true }
            clock.value += 1_000_000_000
            return false
        }
        #expect(looks.value == 2)
        #expect(await readiness.failing() == [])
    }

    @Test("Concurrent requests share one run of the checks")
    func manyAtOnce() async throws {
        let looks = Switch(0)
        let readiness = Readiness(
            checks: [
                .init("store") {
                    looks.value += 1
                    for _ in 0..<100 { await Task.yield() }
                    return false
                }
            ],
            clock: { 0 },
            deadline: Self.noDeadline
        )
        let answers = await withTaskGroup(of: [String].self) { tasks in
            for _ in 0..<50 { tasks.addTask { await readiness.failing() } }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0 == ["store"] })
        #expect(looks.value == 1)
    }
}
