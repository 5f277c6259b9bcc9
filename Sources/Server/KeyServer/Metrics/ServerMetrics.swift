import KeyServerModule
package import KeyStore

/// What this server counts and measures.
package struct ServerMetrics: Sendable {
    /// The parts of a license's way.
    package enum Stage: Int, Sendable, CaseIterable {
        /// Who asks, and for what.
        case authorize
        /// RSA and what lies in the SPC, waiting for a thread included.
        case open
        /// Content, policy and what they come to.
        case decide
        /// The transaction that grants it, and its audit record.
        case store
        /// The CKC.
        case seal
        /// All of it.
        case total
    }

    /// Of which refusals there are too many to record each.
    package enum Crowd: String, Sendable, CaseIterable {
        /// Those of one address.
        case address
        /// Those of all together.
        case server
    }

    /// A listener of this process.
    package enum Listener: String, Sendable, CaseIterable {
        /// The one for players.
        case apps
        /// The one for administration.
        case administration
    }

    /// What became of a request for a license.
    package enum Outcome: String, Sendable, CaseIterable {
        /// A CKC for playing now.
        case issued
        /// A CKC for a key to keep.
        case issuedPersistable = "issued-persistable"
        /// The CKC that an earlier, same request got.
        case retried
        /// A report, no key.
        case sync
        /// None.
        case refused
        /// None, by the server's own fault.
        case failed
    }

    /// How a question to the webhook ended.
    enum WebhookEnd: String, CaseIterable {
        /// With a yes or a no.
        case decided
        /// With an answer that decides nothing.
        case undecided
        /// Without an answer, or with a failure of the service.
        case failed
        /// Whoever asked was gone.
        case cancelled
    }

    /// Where the numbers are.
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

    /// Makes the metrics, all zero.
    ///
    /// - Parameter reasons: the codes of all rules that refuse, besides the problem types' names, which are known here.
    package init(reasons: some Sequence<String> = [String]()) {
        let registry = MetricRegistry()
        self.registry = registry
        licenses = registry.add(
            MetricCounter(
                "keyway_licenses_total",
                "Requests for licenses and keys, by what became of them.",
                [
                    MetricLabel("outcome", Outcome.allCases.map(\.rawValue)),
                    MetricLabel("reason", ["none"] + ProblemType.all.map(\.name) + Array(reasons)),
                ]
            )
        )
        stages = registry.add(
            MetricHistogram(
                "keyway_license_stage_seconds",
                "How long each part of a license's way took.",
                [MetricLabel("stage", Stage.allCases.map { "\($0)" })],
                microseconds: Self.buckets
            )
        )
        storeCalls = registry.add(
            MetricHistogram(
                "keyway_store_seconds",
                "How long the store took for licenses and keys, by reading and writing.",
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
                "Requests that were refused because there were too many.",
                [
                    MetricLabel("by", RateLimiter.Scope.allCases.map(\.rawValue)),
                    MetricLabel("class", RequestClass.allCases.map(\.rawValue)),
                ]
            )
        )
        unrecorded = registry.add(
            MetricCounter(
                "keyway_unrecorded_refusals_total",
                "Refusals without a row in the audit log, since there were too many of the address, or of all.",
                [MetricLabel("by", Crowd.allCases.map(\.rawValue))]
            )
        )
        encoderKeys = registry.add(
            MetricCounter(
                "keyway_encoder_keys_total",
                "Content keys that encoders were given, by whether they were made for the request or there before.",
                [MetricLabel("origin", ["made", "found"])]
            )
        )
        refusedConnections = registry.add(
            MetricCounter(
                "keyway_connections_refused_total",
                "Connections beyond the limit of their address or of the listener that were closed or refused.",
                [
                    MetricLabel("listener", Listener.allCases.map(\.rawValue)),
                    MetricLabel("by", ConnectionLimiter.Limit.allCases.map(\.rawValue)),
                ]
            )
        )
        failedCommits = registry.add(
            MetricCounter(
                "keyway_store_failed_commits_total",
                "Writes for licenses, keys and readiness that the store did not commit.",
                []
            )
        )
        lastFailedCommit = registry.add(
            MetricTimestamp(
                "keyway_store_last_failed_commit_timestamp_seconds",
                "When the last of them failed, in Unix seconds; not there while none has."
            )
        )
        webhooks = registry.add(
            MetricHistogram(
                "keyway_webhook_seconds",
                "How long each question to the webhook took, by how it ended.",
                [MetricLabel("end", WebhookEnd.allCases.map(\.rawValue))],
                microseconds: Self.buckets
            )
        )
    }

    /// In this order, by which they are measured without being looked up.
    private static let operations = ["read", "write"]

    /// From 50 µs, less than any RSA operation, to 5 s, by which everybody has given up.
    private static let buckets = [
        50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        5_000_000,
    ]

    /// Counts a request for a license or a key. The reason is a problem type's name or a rule's code; nil for a success.
    package func license(_ outcome: Outcome, reason: String? = nil) {
        licenses.add(1, outcome.rawValue, reason ?? "none")
    }

    /// Measures one stage.
    package func stage(_ stage: Stage, took duration: Duration) { stages.observe(duration, at: stage.rawValue) }

    /// Measures a call to the store.
    package func store(writing: Bool, took duration: Duration) {
        storeCalls.observe(duration, at: writing ? 1 : 0)
    }

    /// Counts a refusal that is not in the audit log.
    package func unrecorded(by crowd: Crowd) { unrecorded.add(1, crowd.rawValue) }

    /// Counts content keys that an encoder was given.
    ///
    /// - Parameters:
    ///   - made: those that were made for the request.
    ///   - found: those that were there before.
    package func encoderKeys(made: Int, found: Int) {
        encoderKeys.add(made, "made")
        encoderKeys.add(found, "found")
    }

    /// Counts a connection that exceeds a limit.
    func connectionRefused(by limit: ConnectionLimiter.Limit, _ listener: Listener) {
        refusedConnections.add(1, listener.rawValue, limit.rawValue)
    }

    /// Counts an answer. The route is the router's pattern, never the path.
    package func request(method: String, route: String?, status: Int) {
        requests.add(method: method, route: route, status: status)
    }

    /// Counts what a limit refused.
    package func rateLimited(by scope: RateLimiter.Scope, _ requestClass: RequestClass, count: Int = 1) {
        limited.add(count, scope.rawValue, requestClass.rawValue)
    }

    /// Adds the number of open connections of each listener. Once.
    package func addConnections(_ limiters: [Listener: ConnectionLimiter]) {
        let reading = MetricReading("keyway_connections", "Open connections, by listener.", labels: ["listener"]) {
            Listener.allCases.compactMap { name in limiters[name].map { ([name.rawValue], Double($0.count)) } }
        }
        _ = registry.add(reading)
    }

    /// Counts a write that the store failed to commit, and notes when. What the store refuses by its rules is no failure.
    ///
    /// - Parameter milliseconds: the time, since 1970.
    package func storeFailed(_ error: KeyStoreError, at milliseconds: Int64 = systemMilliseconds()) {
        switch error.code {
        case .invalidRecord, .conflict, .missingReference, .cancelled: return
        default: break
        }
        failedCommits.add()
        lastFailedCommit.set(milliseconds)
    }

    /// Measures a question to the webhook.
    func webhook(_ end: WebhookEnd, took duration: Duration) { webhooks.observe(duration, end.rawValue) }

    /// Adds the numbers that are asked for when somebody looks, and those of the process. Once.
    package func addReadings(_ sources: MetricSources) {
        for family in sources.families + ProcessMetrics.families { _ = registry.add(family) }
    }
}
