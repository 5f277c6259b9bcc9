/// Where the dashboard's routes look.
package struct DashboardSources: Sendable {
    /// What the server has been asked lately.
    package var activity = Activity()
    /// What tells the pages.
    package var events = EventBroadcaster()
    /// What opens an SPC to look into it, and on which threads; nil shows no more than its frame.
    package var opener: (bundles: BundleShelf, pool: BoundedWorkPool)?
    /// What is not in order; empty when the server is ready.
    package var failing: @Sendable () async -> [String] = { [] }
    /// How many leases have not run out; nil when the store does not say.
    package var activeLeases: @Sendable () async -> Int? = { nil }
    /// How much waits for a thread.
    package var queueDepth: @Sendable () -> Int = { 0 }
    /// When the TLS certificate ends, in Unix seconds; nil without TLS.
    package var tlsExpiry: @Sendable () -> Int64? = { nil }
    /// Whether the listener speaks TLS.
    package var isSecure = false
    /// Whether the server runs with `--dev`.
    package var isDevelopment = false

    /// Nothing to see yet.
    package init() {}
}
