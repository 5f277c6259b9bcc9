import FPSCrypto
import KeyServerModule
import KeyStore
import Logging

/// The parts that the routes and the services of a server share.
struct KeyServerParts: Sendable {
    let configuration: ServerConfiguration
    let environment: ServerEnvironment
    let store: any KeyServerStore
    let bundles: BundleCache
    let pool: BoundedWorkPool
    let logger: Logger

    let limits: ListenerLimits
    let proxies: TrustedProxies
    let metrics: ServerMetrics
    let limiter: RateLimiter
    let connections: [ServerMetrics.Listener: ConnectionLimiter]
    let tls: ServerTLS?
    let authorizer: any PlaybackAuthorizer
    let readiness: Readiness
    let activity = Activity()
    let events = EventBroadcaster()

    var time: ServerTime { environment.time }
    var isDevelopment: Bool { environment.isDevelopment }

    /// Reads the files that the configuration names.
    ///
    /// - Throws: ``ServerTLSError`` and ``AuthorizationConfigurationError``.
    init(
        configuration: ServerConfiguration,
        store: any KeyServerStore,
        bundles: BundleCache,
        pool: BoundedWorkPool,
        environment: ServerEnvironment,
        logger: Logger
    ) throws {
        self.configuration = configuration
        self.environment = environment
        self.store = store
        self.bundles = bundles
        self.pool = pool
        self.logger = logger

        let (time, metrics) = (environment.time, ServerMetrics(reasons: LicenseService.reasons))
        self.metrics = metrics
        let limits = ListenerLimits(configuration.limits)
        self.limits = limits
        let proxies = TrustedProxies(configuration.proxies)
        self.proxies = proxies
        limiter = RateLimiter(limits: configuration.limits.rates, clock: time.nanoseconds)
        connections = Dictionary(
            uniqueKeysWithValues: configuration.listeners.map { name in
                (name, ConnectionLimiter(limits: limits, proxies: proxies, listener: name, metrics: metrics))
            }
        )
        tls = try ServerTLS(configuration, time: time, logger: logger)
        authorizer =
            try environment.authorizer
            ?? AuthorizerFactory.make(
                configuration.authorization,
                isDevelopment: environment.isDevelopment,
                pool: pool,
                logger: logger,
                metrics: metrics,
                clock: { time.nanoseconds() / 1_000_000 }
            )
        readiness = Readiness(
            checks: Readiness.checks(store: store, bundles: bundles, authorizer: authorizer, metrics: metrics),
            time: time
        )
    }

    /// The reload of the certificate bundles in the store.
    var bundleReload: BundleReload {
        BundleReload(
            bundleCache: bundles,
            store: store,
            interval: .seconds(Int64(configuration.certificates.reload.rawValue)),
            time: time,
            logger: logger
        )
    }

    /// The sources of the dashboard's routes and events.
    var dashboard: DashboardSources {
        var sources = DashboardSources()
        sources.activity = activity
        sources.events = events
        sources.opener = (bundles, pool)
        sources.failing = { [readiness] in await readiness.failing() }
        sources.activeLeases = activeLeases
        sources.queueDepth = { [pool] in pool.waiting }
        sources.settings = environment.settings
        sources.limits = { limitUses }
        sources.tlsExpiry = { [tls] in tls?.certificate.expiry }
        sources.isSecure = tls != nil
        sources.isDevelopment = isDevelopment
        return sources
    }

    /// The sources of the metrics that are read on each scrape.
    var metricSources: MetricSources {
        var sources = MetricSources()
        sources.version = environment.version
        sources.queueDepth = { [pool] in pool.waiting }
        sources.activeLeases = activeLeases
        sources.certificates = { [tls, bundles] in
            let own = tls?.certificate.expiry.map { MetricSources.Certificate(.tls, name: "server", expiry: $0) }
            return [own].compactMap { $0 }
                + bundles.module.bundles.map { .init(.fairPlay, name: $0.name, expiry: $0.certificate.notAfter) }
        }
        sources.plugins = { [bundles] in bundles.plugins.allCounters }
        sources.authorizer = { [authorizer] in authorizer.condition }
        sources.dataFolder = environment.databaseFolder
        sources.clock = time.milliseconds
        return sources
    }

    private var activeLeases: @Sendable () async -> Int? {
        { [store, time] in try? await store.leaseCount(at: time.seconds) }
    }
}

extension ServerConfiguration {
    /// The listeners of the server.
    fileprivate var listeners: [ServerMetrics.Listener] { admin.listen == nil ? [.apps] : [.apps, .administration] }
}

extension ListenerLimits {
    /// Creates the limits of a configuration, with the defaults for those that no setting changes.
    fileprivate init(_ configuration: ServerConfiguration.Limits) {
        self.init()
        connections = configuration.connections
        connectionsPerAddress = configuration.connectionsPerAddress
        batch = configuration.batch
    }
}
