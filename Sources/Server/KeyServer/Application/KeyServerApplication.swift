import KeyServerModule
package import KeyStore
package import Logging
import ServiceLifecycle

/// A key server: the routes of its two listeners with their middleware, and its services, as a configuration specifies
/// them.
///
/// The executable and the tests run the same application. What belongs to a process is not here: signals, standard
/// output and the service manager are the callers' (``ServerEnvironment``).
package struct KeyServerApplication: Service {
    let parts: KeyServerParts
    /// The service for licenses, which the routes for players share.
    let licenses: LicenseService
    /// The service for clients without FairPlay.
    let otherClients: OtherClientService
    /// The routes for administration; nil if the server does not have them.
    let administration: Administration?

    /// Creates a server. It reads the files that the configuration names, and opens no port.
    ///
    /// - Parameters:
    ///   - configuration: The values of all settings.
    ///   - store: The store.
    ///   - bundles: The certificate bundles, which decrypt SPCs and create CKCs.
    ///   - pool: The threads for RSA.
    ///   - environment: The values that the server gets from its process.
    ///   - logger: The logger.
    /// - Throws: ``ServerTLSError`` and ``AuthorizationConfigurationError`` if a setting cannot be used.
    package init(
        configuration: ServerConfiguration,
        store: any KeyServerStore,
        bundles: BundleCache,
        pool: BoundedWorkPool,
        environment: ServerEnvironment,
        logger: Logger
    ) throws {
        parts = try KeyServerParts(
            configuration: configuration,
            store: store,
            bundles: bundles,
            pool: pool,
            environment: environment,
            logger: logger
        )
        licenses = LicenseService(parts)
        otherClients = OtherClientService(
            licenses: licenses,
            authorizer: parts.authorizer,
            signer: try configuration.licenses.keyURLs.signer()
        )
        administration = parts.servesAdministration ? Administration(parts) : nil
        parts.metrics.addReadings(parts.metricSources)
        parts.metrics.addConnections(parts.connections)
    }

    /// The metrics of this server.
    package var metrics: ServerMetrics { parts.metrics }

    /// Serves until the shutdown, then finishes the requests in progress.
    ///
    /// - Throws: ``ListenFailure`` if a port cannot be opened.
    package func run() async throws {
        let configuration = parts.configuration
        var group = ServiceGroupConfiguration(
            services: try services().map { .init(service: $0) },
            logger: parts.logger
        )
        let timeout = Int64(configuration.shutdownDelay.rawValue) + Int64(configuration.shutdownGrace.rawValue)
        group.maximumGracefulShutdownDuration = .seconds(timeout)
        try await ServiceGroup(configuration: group).run()
    }

    /// Reads again now what is otherwise read at intervals: TLS files, certificate bundles, and key-encryption keys.
    package func reload() async {
        parts.tls?.reload()
        await parts.bundleReload.reload(keysToo: true)
    }
}

extension KeyServerApplication: CustomStringConvertible {
    /// The name of the type. Service groups log the description of their services, and the default one would contain
    /// the configuration.
    package var description: String { "KeyServerApplication" }
}

extension LicenseService {
    fileprivate init(_ parts: KeyServerParts) {
        self.init(
            bundles: parts.bundles,
            store: parts.store,
            pool: parts.pool,
            settings: LicenseSettings(parts.configuration.licenses),
            limiter: parts.limiter,
            metrics: parts.metrics,
            time: parts.time
        )
        activity = parts.activity
    }
}

extension Administration {
    fileprivate init(_ parts: KeyServerParts) {
        self.init(
            store: parts.store,
            // The file's token comes first, because the stored tokens are created with it.
            authenticator: AdminAuthenticators([
                parts.environment.administrator,
                StoredAdminTokens(store: parts.store, clock: parts.time.milliseconds),
            ]),
            dashboard: parts.dashboard,
            metrics: parts.metrics,
            otherClients: parts.configuration.licenses.otherClients,
            encoderWork: parts.environment.encoderWork ?? EncoderWork(),
            clock: parts.time.milliseconds,
            monotonicClock: parts.time.nanoseconds
        )
    }
}
