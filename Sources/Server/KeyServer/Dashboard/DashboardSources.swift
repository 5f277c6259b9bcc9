/// The data sources of the dashboard's routes.
package struct DashboardSources: Sendable {
    /// The recent activity of the server.
    package var activity = Activity()
    /// The broadcaster of events to the pages.
    package var events = EventBroadcaster()
    /// The bundles that decrypt an SPC for inspection, and the threads for it; nil limits the inspection to the
    /// container.
    package var opener: (bundles: BundleCache, pool: BoundedWorkPool)?
    /// Returns the names of failing readiness checks; empty if the server is ready.
    package var failing: @Sendable () async -> [String] = { [] }
    /// Returns the number of active leases; nil if the store does not provide it.
    package var activeLeases: @Sendable () async -> Int? = { nil }
    /// Returns the number of requests that wait for a thread.
    package var queueDepth: @Sendable () -> Int = { 0 }
    /// The settings in effect.
    package var settings: [EffectiveSetting] = []
    /// Returns the limits of the process, with their use.
    package var limits: @Sendable () -> [LimitUse] = { [] }
    /// Returns the expiry time of the TLS certificate, in Unix seconds; nil without TLS.
    package var tlsExpiry: @Sendable () -> Int64? = { nil }
    /// True if the listener uses TLS.
    package var isSecure = false
    /// True if the server runs with `--dev`.
    package var isDevelopment = false

    /// Creates sources with default values.
    package init() {}
}
