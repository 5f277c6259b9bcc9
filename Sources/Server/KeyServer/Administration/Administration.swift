package import Hummingbird
package import KeyStore

/// All routes of administration, each behind the token that it needs (docs/admin-api.md).
package struct Administration: Sendable {
    let endpoints: [AdminEndpoint]
    private let gate: AdminGate
    /// What encoders ask, behind the same gate.
    let encoding: [AdminEndpoint]
    private let session: SessionRoutes
    private let otherClients: Set<OtherClientKind>
    private let clock: @Sendable () -> Int64
    private let monotonicClock: @Sendable () -> Int64

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - store: what they show and change.
    ///   - authenticator: knows the tokens.
    ///   - dashboard: where the dashboard's routes look.
    ///   - metrics: where keys that encoders get are counted.
    ///   - otherClients: the clients without FairPlay that the server has routes for, as the OpenAPI document says.
    ///   - encoderWork: the threads for documents of encoders.
    ///   - clock: the time, in milliseconds since 1970.
    ///   - monotonicClock: the time in nanoseconds, by a clock that is never set.
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
        encoding = SPEKERoutes(store: store, metrics: metrics, work: encoderWork).endpoints
        endpoints = [
            ContentRoutes(store: store).endpoints,
            TitleRoutes(store: store).endpoints,
            KeyPeriodRoutes(store: store).endpoints,
            ChannelRoutes(store: store).endpoints,
            PolicyRoutes(store: store).endpoints,
            CertificateRoutes(store: store).endpoints,
            LeaseRoutes(store: store).endpoints,
            AccountRoutes(store: store).endpoints,
            OfflineLicenseRoutes(store: store).endpoints,
            AuditRoutes(store: store).endpoints,
            TokenRoutes(store: store).endpoints,
            session.endpoints,
            ActivityRoutes(activity: dashboard.activity, events: dashboard.events).endpoints,
            PolicyTrialRoutes(activity: dashboard.activity, bundles: dashboard.opener?.bundles).endpoints,
            InspectionRoutes(opener: dashboard.opener, store: store).endpoints,
            HealthRoutes(store: store, sources: dashboard, sessions: sessions, started: clock() / 1_000).endpoints,
        ].flatMap { $0 }
    }

    /// Puts the routes on a router, and the OpenAPI document at `/openapi.json`.
    package func add(to router: Router<ServerRequestContext>) {
        for endpoint in endpoints + encoding {
            endpoint.add(to: router, gate: gate, clock: clock, monotonicClock: monotonicClock)
        }
        session.add(to: router)
        OpenAPIDocument.add(to: router, otherClients: otherClients)
    }
}
