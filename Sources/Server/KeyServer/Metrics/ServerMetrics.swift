import KeyServerModule
package import KeyStore

/// The metrics of the server.
package struct ServerMetrics: Sendable {
    /// A stage of a license request.
    package enum Stage: Int, Sendable, CaseIterable {
        /// The authorization of the request.
        case authorize
        /// The decryption of the SPC, including the time waiting for a thread.
        case open
        /// The lookup of content and policy, and the decision.
        case decide
        /// The transaction that records the grant and its audit entry.
        case store
        /// The creation of the CKC.
        case seal
        /// The whole request.
        case total
    }

    /// The limit that was exceeded by refusals that the audit log does not record individually.
    package enum RefusalLimit: String, Sendable, CaseIterable {
        /// The limit of one address.
        case address
        /// The limit of the whole server.
        case server
    }

    /// A listener of this process.
    package enum Listener: String, Sendable, CaseIterable {
        /// The listener for players.
        case apps
        /// The listener for administration.
        case administration
    }

    /// The outcome of a license request.
    package enum Outcome: String, Sendable, CaseIterable {
        /// A CKC for streaming.
        case issued
        /// A CKC for a persistent key.
        case issuedPersistable = "issued-persistable"
        /// The CKC of an earlier identical request.
        case retried
        /// A Sync report without a key.
        case sync
        /// A refusal.
        case refused
        /// A failure of the server.
        case failed
    }

    /// The outcome of a webhook request.
    enum WebhookOutcome: String, CaseIterable {
        /// The webhook allowed or refused the request.
        case decided
        /// The response contained no decision.
        case undecided
        /// There was no response, or the service failed.
        case failed
        /// The client cancelled the request.
        case cancelled
    }

    /// The registry that contains the metrics.
    package let registry: MetricRegistry
    private let licenses: MetricCounter
    private let stages: MetricHistogram
    private let storeCalls: MetricHistogram
    private let requests: RouteCounter
    private let limited: MetricCounter
    private let unrecorded: MetricCounter
    private let encoderKeys: MetricCounter
    private let refusedConnections: MetricCounter
    private let failedCommits: MetricCounter
    private let lastFailedCommit: MetricTimestamp
    private let webhooks: MetricHistogram

    /// Creates the metrics with zero values.
    ///
    /// - Parameter reasons: The codes of all rules that can refuse a request. The names of problem types are added to
    ///   them.
    package init(reasons: some Sequence<String> = [String]()) {
        let registry = MetricRegistry()
        self.registry = registry
        licenses = registry.add(
            MetricCounter(
                "keyway_licenses_total",
                "Requests for licenses and keys, by outcome.",
                [
                    MetricLabel("outcome", Outcome.allCases.map(\.rawValue)),
                    MetricLabel("reason", ["none"] + ProblemType.all.map(\.name) + Array(reasons)),
                ]
            )
        )
        stages = registry.add(
            MetricHistogram(
                "keyway_license_stage_seconds",
                "The duration of each stage of a license request.",
                [MetricLabel("stage", Stage.allCases.map { "\($0)" })],
                microseconds: Self.buckets
            )
        )
        storeCalls = registry.add(
            MetricHistogram(
                "keyway_store_seconds",
                "The duration of store calls for licenses and keys, by operation (read, write).",
                [MetricLabel("operation", Self.operations)],
                microseconds: Self.buckets
            )
        )
        requests = registry.add(
            RouteCounter("keyway_http_requests_total", "HTTP requests, by method, route and status.")
        )
        limited = registry.add(
            MetricCounter(
                "keyway_rate_limited_total",
                "Requests refused by rate limits.",
                [
                    MetricLabel("by", RateLimiter.Scope.allCases.map(\.rawValue)),
                    MetricLabel("class", RequestClass.allCases.map(\.rawValue)),
                ]
            )
        )
        unrecorded = registry.add(
            MetricCounter(
                "keyway_unrecorded_refusals_total",
                "Refusals not recorded in the audit log, because the address or the server exceeded a limit.",
                [MetricLabel("by", RefusalLimit.allCases.map(\.rawValue))]
            )
        )
        encoderKeys = registry.add(
            MetricCounter(
                "keyway_encoder_keys_total",
                "Content keys returned to encoders, by origin: created for the request (made) or stored before (found).",
                [MetricLabel("origin", ["made", "found"])]
            )
        )
        refusedConnections = registry.add(
            MetricCounter(
                "keyway_connections_refused_total",
                "Connections that were closed or refused because of the limit of their address or of the listener.",
                [
                    MetricLabel("listener", Listener.allCases.map(\.rawValue)),
                    MetricLabel("by", ConnectionLimiter.Limit.allCases.map(\.rawValue)),
                ]
            )
        )
        failedCommits = registry.add(
            MetricCounter(
                "keyway_store_failed_commits_total",
                "Writes for licenses, keys and readiness that the store failed to commit.",
                []
            )
        )
        lastFailedCommit = registry.add(
            MetricTimestamp(
                "keyway_store_last_failed_commit_timestamp_seconds",
                "The time of the last failed commit, in Unix seconds; absent if there was none."
            )
        )
        webhooks = registry.add(
            MetricHistogram(
                "keyway_webhook_seconds",
                "The duration of requests to the webhook, by outcome.",
                [MetricLabel("end", WebhookOutcome.allCases.map(\.rawValue))],
                microseconds: Self.buckets
            )
        )
    }

    /// The label values, in the order of the indices that ``store(writing:took:)`` uses.
    private static let operations = ["read", "write"]

    /// From 50 µs, less than any RSA operation, to 5 s, after which clients have given up.
    private static let buckets = [
        50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        5_000_000,
    ]

    /// Counts a request for a license or a key.
    ///
    /// - Parameter reason: The name of a problem type or the code of a rule; nil for a success.
    package func license(_ outcome: Outcome, reason: String? = nil) {
        licenses.add(1, outcome.rawValue, reason ?? "none")
    }

    /// Records the duration of a stage.
    package func stage(_ stage: Stage, took duration: Duration) { stages.observe(duration, at: stage.rawValue) }

    /// Records the duration of a call to the store.
    package func store(writing: Bool, took duration: Duration) {
        storeCalls.observe(duration, at: writing ? 1 : 0)
    }

    /// Counts a refusal that the audit log does not record.
    package func unrecorded(by limit: RefusalLimit) { unrecorded.add(1, limit.rawValue) }

    /// Counts content keys returned to an encoder.
    ///
    /// - Parameters:
    ///   - made: The number of keys created for the request.
    ///   - found: The number of keys that were already stored.
    package func encoderKeys(made: Int, found: Int) {
        encoderKeys.add(made, "made")
        encoderKeys.add(found, "found")
    }

    /// Counts a connection that exceeded a limit.
    func connectionRefused(by limit: ConnectionLimiter.Limit, _ listener: Listener) {
        refusedConnections.add(1, listener.rawValue, limit.rawValue)
    }

    /// The number of connections that exceeded a limit of a listener.
    func refusedConnectionCount(by limit: ConnectionLimiter.Limit, _ listener: Listener) -> Int {
        refusedConnections.value(listener.rawValue, limit.rawValue)
    }

    /// The number of requests that a rate limit refused.
    func rateLimitedCount(by scope: RateLimiter.Scope, _ requestClass: RequestClass) -> Int {
        limited.value(scope.rawValue, requestClass.rawValue)
    }

    /// The number of requests for licenses and keys with an outcome and a reason.
    func licenseCount(_ outcome: Outcome, reason: String) -> Int { licenses.value(outcome.rawValue, reason) }

    /// The number of refusals that the audit log does not record.
    func unrecordedCount(by limit: RefusalLimit) -> Int { unrecorded.value(limit.rawValue) }

    /// Counts a response. The route is the router's pattern, never the path.
    package func request(method: String, route: String?, status: Int) {
        requests.add(method: method, route: route, status: status)
    }

    /// Counts requests that a rate limit refused.
    package func rateLimited(by scope: RateLimiter.Scope, _ requestClass: RequestClass, count: Int = 1) {
        limited.add(count, scope.rawValue, requestClass.rawValue)
    }

    /// Adds the metric of each listener's open connections. Call it only once.
    package func addConnections(_ limiters: [Listener: ConnectionLimiter]) {
        let reading = MetricReading("keyway_connections", "Open connections, by listener.", labels: ["listener"]) {
            Listener.allCases.compactMap { name in limiters[name].map { ([name.rawValue], Double($0.count)) } }
        }
        _ = registry.add(reading)
    }

    /// Counts a write that the store failed to commit, and records the time. Refusals by the store's rules are not
    /// counted.
    ///
    /// - Parameter milliseconds: The time, in milliseconds since 1970.
    package func storeFailed(_ error: KeyStoreError, at milliseconds: Int64 = systemMilliseconds()) {
        switch error.code {
        case .invalidRecord, .conflict, .missingReference, .cancelled: return
        default: break
        }
        failedCommits.add()
        lastFailedCommit.set(milliseconds)
    }

    /// Records the duration of a request to the webhook.
    func webhook(_ outcome: WebhookOutcome, took duration: Duration) { webhooks.observe(duration, outcome.rawValue) }

    /// Adds the metrics that are read on each scrape, and those of the process. Call it only once.
    package func addReadings(_ sources: MetricSources) {
        for family in sources.families + ProcessMetrics.families { _ = registry.add(family) }
    }
}
