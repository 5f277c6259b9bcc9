/// Where the dashboard's routes look.
public struct DashboardSources: Sendable {
    /// What the server has been asked lately.
    public var activity = Activity()
    /// What tells the pages.
    public var events = EventBroadcaster()
    /// What opens an SPC to look into it, and on which threads; nil shows no more than its frame.
    public var opener: (bundles: BundleShelf, pool: BoundedWorkPool)?
    /// What is not in order; empty when the server is ready.
    public var failing: @Sendable () async -> [String] = { [] }
    /// How many leases have not run out; nil when the store does not say.
    public var activeLeases: @Sendable () async -> Int? = { nil }
    /// How much waits for a thread.
    public var queueDepth: @Sendable () -> Int = { 0 }
    /// When the TLS certificate ends, in Unix seconds; nil without TLS.
    public var tlsExpiry: @Sendable () -> Int64? = { nil }
    /// Whether the listener speaks TLS.
    public var isSecure = false
    /// Whether the server runs with `--dev`.
    public var isDevelopment = false

    /// Nothing to see yet.
    public init() {}
}
