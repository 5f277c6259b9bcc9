import FPSCrypto
import Foundation
import Hummingbird
import KeyServer
import KeyServerModule
import KeyStore
import Logging
import ServiceLifecycle
import UnixSignals

/// The listeners of one server process.
struct ServerProcess {
    let configuration: ServerConfiguration
    let isDevelopment: Bool
    let token: SingleAdminToken
    let tokenFile: String
    let logger: Logger

    /// Serves until SIGTERM or SIGINT, then finishes the requests in progress.
    func run(bundles: BundleCache, store: any KeyServerStore, pool: BoundedWorkPool) async throws {
        var limits = ListenerLimits()
        limits.connections = configuration.limits.connections
        limits.connectionsPerAddress = configuration.limits.connectionsPerAddress
        limits.batch = configuration.limits.batch
        let metrics = ServerMetrics(reasons: LicenseService.reasons)
        let limiter = RateLimiter(limits: configuration.limits.rates)
        let certificate = try certificate()
        let authorities = try certificate.flatMap { try clientAuthorities($0) }
        let authorizer = try AuthorizerFactory.make(
            configuration.authorization,
            isDevelopment: isDevelopment,
            pool: pool,
            logger: logger,
            metrics: metrics
        )
        metrics.addReadings(sources(bundles, store, pool, authorizer, certificate))
        let readiness = Readiness(
            checks: Readiness.checks(store: store, bundles: bundles, authorizer: authorizer, metrics: metrics)
        )
        let proxies = TrustedProxies(configuration.proxies)
        let names: [ServerMetrics.Listener] = configuration.admin.listen == nil ? [.apps] : [.apps, .administration]
        let limiters = Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, ConnectionLimiter(limits: limits, proxies: proxies, listener: name, metrics: metrics))
            }
        )
        metrics.addConnections(limiters)
        var dashboard = DashboardSources()
        dashboard.opener = (bundles, pool)
        dashboard.failing = { await readiness.failing() }
        dashboard.activeLeases = { try? await store.leaseCount(at: systemMilliseconds() / 1000) }
        dashboard.queueDepth = { pool.waiting }
        dashboard.tlsExpiry = { certificate?.expiry }
        dashboard.isSecure = certificate != nil
        dashboard.isDevelopment = isDevelopment
        let publicRouter = Listener.makeRouter(
            proxies: proxies,
            crossOrigin: configuration.crossOrigin,
            metrics: metrics
        )
        readiness.add(to: publicRouter)
        var service = LicenseService(
            bundles: bundles,
            store: store,
            pool: pool,
            settings: LicenseSettings(configuration.licenses),
            limiter: limiter,
            metrics: metrics
        )
        service.activity = dashboard.activity
        if configuration.admin.listen == nil, isDevelopment {
            if configuration.metrics { metrics.registry.add(to: publicRouter) }
            addAdministration(to: publicRouter, store, dashboard, metrics)
        }
        // Applies only to routes added after this line, so administration and health checks are not counted.
        publicRouter.add(middleware: RateLimitMiddleware(limiter: limiter, metrics: metrics))
        LicenseRoutes(service: service, authorizer: authorizer, limits: limits)
            .add(to: publicRouter)
        let others = OtherClientService(
            licenses: service,
            authorizer: authorizer,
            signer: try configuration.licenses.keyURLs.signer()
        )
        OtherClientRoutes(service: others, clients: configuration.licenses.otherClients).add(to: publicRouter)
        if configuration.playerPage || isDevelopment { PlayerPage(isSecure: certificate != nil).add(to: publicRouter) }
        // A service group stops its services in reverse order.
        var services: [any Service] = certificate.map { [$0] } ?? []
        if let authorities { services.append(authorities) }
        services.append(StorePruning(store: store, logger: logger))
        let plans = configuration.channels.compactMap(\.plan)
        services.append(KeyPeriodService(store: store, plans: plans, logger: logger))
        let reload = BundleReload(
            bundleCache: bundles,
            store: store,
            pool: pool,
            interval: .seconds(Int64(configuration.certificates.reload.rawValue)),
            logger: logger
        )
        services.append(reload)
        // Closing a developer's terminal stops the server, so SIGHUP is handled only for a service.
        if certificate != nil || !isDevelopment {
            services.append(
                ReloadOnHangUp(certificate: certificate, authorities: authorities, bundles: reload)
            )
        }
        if let address = configuration.admin.listen {
            let adminRouter = Listener.makeRouter(proxies: proxies, metrics: metrics)
            readiness.add(to: adminRouter)
            if configuration.metrics { metrics.registry.add(to: adminRouter) }
            addAdministration(to: adminRouter, store, dashboard, metrics)
            services.append(
                try application(
                    adminRouter,
                    at: address,
                    limits,
                    limiters[.administration],
                    metrics,
                    certificate,
                    authorities,
                    nil
                )
            )
        }
        services.append(
            try application(
                publicRouter,
                at: configuration.listen,
                limits,
                limiters[.apps],
                metrics,
                certificate,
                nil,
                LoadShedding(
                    // Requests wait for the webhook before they enter the pool's queue.
                    room: pool.room * (configuration.authorization.webhook == nil ? 1 : 2),
                    metrics: metrics,
                    activity: dashboard.activity
                )
            )
        )
        services.append(DashboardEventService(dashboard))
        services.append(
            ReadinessService(
                readiness: readiness,
                delay: .seconds(Int64(configuration.shutdownDelay.rawValue)),
                onStop: { ServiceManager.notify(.stopping) }
            )
        )
        if isDevelopment { announceDevelopment(bundles.module.bundles) }
        var group = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        let timeout = Int64(configuration.shutdownDelay.rawValue) + Int64(configuration.shutdownGrace.rawValue)
        group.maximumGracefulShutdownDuration = .seconds(timeout)
        try await ServiceGroup(configuration: group).run()
    }

    /// The values that the metrics are computed from.
    private func sources(
        _ bundles: BundleCache,
        _ store: any KeyServerStore,
        _ pool: BoundedWorkPool,
        _ authorizer: any PlaybackAuthorizer,
        _ certificate: ServerCertificate?
    ) -> MetricSources {
        var sources = MetricSources()
        sources.version = KeywayServer.version
        sources.queueDepth = { pool.waiting }
        sources.activeLeases = { try? await store.leaseCount(at: systemMilliseconds() / 1000) }
        sources.certificates = {
            let own = certificate?.expiry.map { MetricSources.Certificate(.tls, name: "server", expiry: $0) }
            return [own].compactMap { $0 }
                + bundles.module.bundles.map { .init(.fairPlay, name: $0.name, expiry: $0.certificate.notAfter) }
        }
        sources.authorizer = { authorizer.condition }
        if case .dataFolder(let folder, _) = StoreLocation(configuration) { sources.dataFolder = folder }
        return sources
    }

    private func certificate() throws -> ServerCertificate? {
        guard let certificate = configuration.tls.certificate, let key = configuration.tls.key else { return nil }
        do {
            return try ServerCertificate(
                certificate: certificate,
                key: key,
                interval: .seconds(Int64(configuration.tls.reload.rawValue)),
                logger: logger
            )
        } catch let error as SecretFileError {
            throw CommandFailure("tls.key: \(error)", kind: .file)
        } catch {
            // The log contains the reason.
            throw CommandFailure("tls: \(certificate) and \(key) cannot be used together")
        }
    }

    private func clientAuthorities(_ certificate: ServerCertificate) throws -> ClientAuthorities? {
        guard let file = configuration.admin.clientCA else { return nil }
        do {
            return try ClientAuthorities(
                file: file,
                certificate: certificate,
                interval: .seconds(Int64(configuration.tls.reload.rawValue)),
                logger: logger
            )
        } catch {
            throw CommandFailure(
                "admin.clientCA: \(file) cannot be read, or does not contain valid PEM certificates: test it with "
                    + "`openssl x509 -noout -subject -in \(file)`"
            )
        }
    }

    private func addAdministration(
        to router: Router<ServerRequestContext>,
        _ store: any KeyServerStore,
        _ dashboard: DashboardSources,
        _ metrics: ServerMetrics
    ) {
        // The file's token comes first, because the stored tokens are created with it.
        let authenticator = AdminAuthenticators([token, StoredAdminTokens(store: store)])
        Administration(
            store: store,
            authenticator: authenticator,
            dashboard: dashboard,
            metrics: metrics,
            otherClients: configuration.licenses.otherClients
        ).add(to: router)
        DashboardPages.add(to: router, isSecure: dashboard.isSecure)
    }

    private func application(
        _ router: Router<ServerRequestContext>,
        at address: ListenAddress,
        _ limits: ListenerLimits,
        _ limiter: ConnectionLimiter?,
        _ metrics: ServerMetrics,
        _ certificate: ServerCertificate?,
        _ authorities: ClientAuthorities?,
        _ shedding: LoadShedding?
    ) throws -> any Service {
        let audience = shedding == nil ? "administration" : "apps"
        let application = try Listener.makeApplication(
            router: router,
            host: address.host,
            port: address.port,
            limits: limits,
            certificate: certificate,
            clientAuthorities: authorities,
            limiter: limiter,
            metrics: metrics,
            shedding: shedding,
            isQuick: shedding != nil,
            logger: logger,
            onRunning: { port in
                // Written to standard output without buffering, so that a script can wait for the line and read the
                // port.
                let url = address.url(port: port, isSecure: certificate != nil)
                printUnbuffered("listening for \(audience) on \(url)")
                if audience == "administration" || (configuration.admin.listen == nil && isDevelopment) {
                    printUnbuffered("dashboard on \(url)/dashboard")
                }
                if audience == "apps" { ServiceManager.notify(.ready) }
            }
        )
        return ListenerService(
            application,
            at: address,
            setting: audience == "apps" ? "listen (or --listen)" : "admin.listen (or --admin-listen)"
        )
    }

    private func announceDevelopment(_ bundles: [CertificateBundle]) {
        let names = bundles.filter { $0.kind == .development }.map(\.name).joined(separator: ", ")
        printUnbuffered(
            """
            ==============================================================================
              DEVELOPMENT MODE. Every client on this machine gets licenses without a token.
              Development certificates in use: \(names.isEmpty ? "none" : names)
              Token for administration: \(tokenFile)
            ==============================================================================
            """
        )
    }
}

/// Prints a line without buffering.
private func printUnbuffered(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Reloads certificates on SIGHUP, in addition to the periodic reload.
private struct ReloadOnHangUp: Service {
    let certificate: ServerCertificate?
    let authorities: ClientAuthorities?
    let bundles: BundleReload

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() {
            certificate?.reload()
            authorities?.reload()
            await bundles.reload(keysToo: true)
        }
    }
}
