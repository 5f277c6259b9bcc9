public import Hummingbird
public import KeyStore

/// All routes of administration, each behind the token that it needs (docs/admin-api.md).
public struct Administration: Sendable {
    let endpoints: [AdminEndpoint]
    private let gate: AdminGate
    private let clock: @Sendable () -> Int64

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - store: what they show and change.
    ///   - authenticator: knows the tokens.
    ///   - clock: the time, in milliseconds since 1970.
    public init(
        store: any KeyStore,
        authenticator: any AdminAuthenticator,
        clock: @escaping @Sendable () -> Int64 = systemMilliseconds
    ) {
        self.clock = clock
        gate = AdminGate(authenticator: authenticator, failures: FailedTokens(clock: clock))
        endpoints = [
            ContentRoutes(store: store).endpoints,
            TitleRoutes(store: store).endpoints,
            PolicyRoutes(store: store).endpoints,
            CertificateRoutes(store: store).endpoints,
            LeaseRoutes(store: store).endpoints,
            AccountRoutes(store: store).endpoints,
            AuditRoutes(store: store).endpoints,
            TokenRoutes(store: store).endpoints,
        ].flatMap { $0 }
    }

    /// Puts the routes on a router, and the OpenAPI document at `/openapi.json`.
    public func add(to router: Router<ServerRequestContext>) {
        for endpoint in endpoints { endpoint.add(to: router, gate: gate, clock: clock) }
        OpenAPIDocument.add(to: router)
    }
}
