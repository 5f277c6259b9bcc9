import HTTPTypes
import Hummingbird
import HummingbirdTesting
import KeyServerModule
import KeyStore
import KeyStoreTestSupport
import Logging
import NIOCore
import NIOEmbedded
import ServiceLifecycle
import Testing

@testable import KeyServer

/// The arguments of a ``KeyServerApplication``, and the two ways to test it: on ports of its own, with all services and
/// real connections, or in memory.
///
/// By default it has both listeners, trusts the X-Forwarded-For header of clients on this machine, has no rate limits,
/// and uses the token as the account.
struct TestApplication: Sendable {
    var configuration = ServerConfiguration()
    var store: any KeyServerStore = InMemoryKeyStore()
    var bundles = BundleCache(configuration: .init(), allowsDevelopment: false)
    var pool = BoundedWorkPool(threads: 1, capacity: 64)
    var environment = ServerEnvironment(administrator: SingleAdminToken(LicenseServer.token))
    var log = LogRecorder()
    /// The clock with which the services wait.
    let clock = StoppedClock()

    init() {
        configuration.listen = ListenAddress("127.0.0.1:0")!
        configuration.admin.listen = ListenAddress("127.0.0.1:0")!
        configuration.proxies = [IPNetwork(rawValue: "127.0.0.0/8")!]
        configuration.limits.rates = .unlimited
        configuration.shutdownGrace = Seconds(rawValue: 3_600)
        environment.authorizer = AccountAuthorizer()
        environment.time.clock = clock
    }

    private var logger: Logger { Logger(label: "test") { [log] _ in log } }

    /// Creates the application.
    func application() throws -> KeyServerApplication {
        try KeyServerApplication(
            configuration: configuration,
            store: store,
            bundles: bundles,
            pool: pool,
            environment: environment,
            logger: logger
        )
    }

    /// Runs the application on its ports while `test` runs; the test may stop it earlier with the group.
    func run(_ test: @Sendable (RunningApplication) async throws -> Void) async throws {
        defer { pool.stop() }
        let (opened, onOpen) = AsyncStream.makeStream(of: OpenListener.self)
        var setup = self
        setup.environment.onListening = { onOpen.yield($0) }
        let application = try setup.application()
        let group = ServiceGroup(services: [application], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [clock] in
                defer {
                    onOpen.finish()
                    clock.finish()
                }
                try await group.run()
            }
            var ports: [ServerMetrics.Listener: Int] = [:]
            let count = application.parts.connections.count
            for await listener in opened {
                ports[listener.name] = listener.port
                if ports.count == count { break }
            }
            // After their first round, the services wait. Pruning, key periods, bundles, and the dashboard's events.
            await clock.waitForSleeps(application.parts.tls?.authorities == nil ? 4 : 5)
            if ports.count == count {
                try await test(RunningApplication(application: application, ports: ports, group: group, clock: clock))
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// Sends requests to the routers directly while `test` runs, without connections and without services.
    func runInMemory(_ test: @Sendable (ApplicationClient) async throws -> Void) async throws {
        defer { pool.stop() }
        let application = try application()
        let routers = [
            ServerMetrics.Listener.apps: application.publicRouter, .administration: application.adminRouter,
        ]
        let responders = routers.compactMapValues { $0.map { RouterWithTable(router: $0).buildResponder() } }
        let logger = logger
        try await test(
            ApplicationClient { listener, method, path, headers, body in
                guard let responder = responders[listener] else { throw ApplicationClient.NoListener() }
                let application = Application(responder: LocalResponder(base: responder), logger: logger)
                return try await application.test(.router) { client in
                    var fields = HTTPFields()
                    for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
                    return ReceivedResponse(
                        try await client.executeRequest(
                            uri: path,
                            method: try #require(HTTPRequest.Method(method)),
                            headers: fields,
                            body: body.map { ByteBuffer(bytes: $0) }
                        )
                    )
                }
            }
        )
    }

    /// Runs the same test in memory or on ports.
    func run(
        _ transport: Transport,
        _ test: @Sendable (ApplicationClient) async throws -> Void
    ) async throws {
        switch transport {
        case .inMemory: try await runInMemory(test)
        case .live: try await run { try await test($0.client) }
        }
    }
}

/// How requests reach an application.
enum Transport: CaseIterable, Sendable {
    case inMemory, live
}

/// An application on ports of its own.
struct RunningApplication: Sendable {
    let application: KeyServerApplication
    let ports: [ServerMetrics.Listener: Int]
    let group: ServiceGroup
    let clock: StoppedClock

    /// The port for players.
    var port: Int { ports[.apps] ?? 0 }
    /// The port for administration.
    var adminPort: Int { ports[.administration] ?? 0 }

    /// Sends requests with new connections.
    var client: ApplicationClient {
        ApplicationClient { [ports] listener, method, path, headers, body in
            guard let port = ports[listener] else { throw ApplicationClient.NoListener() }
            return try await ReceivedResponse.of(method, "http://127.0.0.1:\(port)\(path)", headers, body)
        }
    }
}

/// A client of an application, in memory or over connections.
struct ApplicationClient: Sendable {
    struct NoListener: Error {}

    let exchange:
        @Sendable (
            _ listener: ServerMetrics.Listener, _ method: String, _ path: String, _ headers: [String: String],
            _ body: [UInt8]?
        ) async throws -> ReceivedResponse

    func send(
        _ method: String,
        _ path: String,
        to listener: ServerMetrics.Listener = .apps,
        _ headers: [String: String] = [:],
        _ body: [UInt8]? = nil
    ) async throws -> ReceivedResponse {
        try await exchange(listener, method, path, headers, body)
    }
}

/// Gives requests that do not arrive over a connection the address of one on this machine.
private struct LocalResponder: HTTPResponder {
    let base: RouterWithTable.Responder

    func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
        let channel = NIOAsyncTestingChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        let source = ApplicationRequestContextSource(channel: channel, logger: context.logger)
        return try await base.respond(to: request, context: ServerRequestContext(source: source))
    }
}

extension ReceivedResponse {
    fileprivate init(_ response: TestResponse) {
        var headers: [String: String] = [:]
        for field in response.headers {
            headers[field.name.canonicalName] =
                headers[field.name.canonicalName].map { "\($0), \(field.value)" } ?? field.value
        }
        self.init(status: response.status.code, headers: headers, body: Array(buffer: response.body))
    }
}

extension RateLimits {
    /// No limits.
    static let unlimited: RateLimits = {
        var limits = RateLimits()
        let unlimited = Pair(account: RateLimit(perMinute: 0, burst: 1), address: RateLimit(perMinute: 0, burst: 1))
        (limits.license, limits.segment, limits.other) = (unlimited, unlimited, unlimited)
        return limits
    }()
}
