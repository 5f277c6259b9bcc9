package import Hummingbird
package import KeyStore

/// All routes for administration, each with its required permission (docs/admin-api.md).
package struct Administration: Sendable {
    let endpoints: [AdminEndpoint]
    private let gate: AdminGate
    /// The routes for encoders, which use the same authentication.
    let encoding: [AdminEndpoint]
    private let session: SessionRoutes
    private let otherClients: Set<OtherClientKind>
    private let clock: @Sendable () -> Int64
    private let monotonicClock: @Sendable () -> Int64

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - authenticator: The authenticator for tokens.
    ///   - dashboard: The data sources of the dashboard's routes.
    ///   - metrics: The metrics for keys that encoders get.
    ///   - otherClients: The clients without FairPlay that the server has routes for, for the OpenAPI document.
    ///   - encoderWork: The threads for documents of encoders.
    ///   - clock: Returns the time, in milliseconds since 1970.
    ///   - monotonicClock: Returns the time of a monotonic clock, in nanoseconds.
    package init(
        store: any KeyServerStore,
        authenticator: any AdminAuthenticator,
        dashboard: DashboardSources = DashboardSources(),
        metrics: ServerMetrics? = nil,
        otherClients: Set<OtherClientKind> = [],
        encoderWork: EncoderWork = EncoderWork(),
        clock: @escaping @Sendable () -> Int64 = systemMilliseconds,
        monotonicClock: @escaping @Sendable () -> Int64 = monotonicNanoseconds
    ) {
        self.clock = clock
        self.monotonicClock = monotonicClock
        self.otherClients = otherClients
        let sessions = DashboardSessions(clock: clock)
        gate = AdminGate(
            authenticator: authenticator,
            failures: FailedTokens(clock: monotonicClock),
            sessions: sessions,
            isSecure: dashboard.isSecure
        )
        session = SessionRoutes(gate: gate, sessions: sessions, store: store, clock: clock)
        let encoderActivity = EncoderActivity()
        encoding =
            SPEKERoutes(store: store, metrics: metrics, work: encoderWork, activity: encoderActivity).endpoints
        endpoints = [
            ContentRoutes(store: store).endpoints,
            TitleRoutes(store: store).endpoints,
            KeyPeriodRoutes(store: store).endpoints,
            ChannelRoutes(store: store).endpoints,
            PolicyRoutes(store: store).endpoints,
            CertificateRoutes(store: store, activity: dashboard.activity).endpoints,
            LeaseRoutes(store: store).endpoints,
            AccountRoutes(store: store).endpoints,
            OfflineLicenseRoutes(store: store).endpoints,
            AuditRoutes(store: store).endpoints,
            SearchRoutes(store: store).endpoints,
            TokenRoutes(store: store).endpoints,
            session.endpoints,
            SignInRoutes(gate: gate).endpoints,
            ConfigurationRoutes(settings: dashboard.settings).endpoints,
            LimitRoutes(limits: dashboard.limits).endpoints,
            EncoderRoutes(activity: encoderActivity).endpoints,
            ActivityRoutes(activity: dashboard.activity, events: dashboard.events).endpoints,
            ActivityHistoryRoutes(store: store).endpoints,
            PolicyTrialRoutes(activity: dashboard.activity, bundles: dashboard.opener?.bundles).endpoints,
            InspectionRoutes(opener: dashboard.opener, store: store).endpoints,
            HealthRoutes(store: store, sources: dashboard, sessions: sessions, started: clock() / 1_000).endpoints,
        ].flatMap { $0 }
    }

    /// Adds the routes to a router, and the OpenAPI document at `/openapi.json`.
    package func add(to router: Router<ServerRequestContext>) {
        for endpoint in endpoints + encoding {
            endpoint.add(to: router, gate: gate, clock: clock, monotonicClock: monotonicClock)
        }
        session.add(to: router)
        OpenAPIDocument.add(to: router, otherClients: otherClients)
    }
}
