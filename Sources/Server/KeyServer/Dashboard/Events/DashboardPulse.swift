import NIOCore
import ServiceLifecycle
import TextCoding

/// Tells the pages once a second what happened, for as long as one listens. Put it after the listeners into the service group:
/// streams that are open would hold up their end.
package struct DashboardPulse: Service {
    private let activity: Activity
    private let events: EventBroadcaster
    private let leases: @Sendable () async -> Int?
    private let queueDepth: @Sendable () -> Int
    private let clock: @Sendable () -> Int64

    /// How many of the latest requests are told of in a second; how many others there were is told too.
    static let shown = 10
    /// After how many seconds the store is asked for the leases again.
    private static let leaseInterval = 5

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - sources: where it looks, and whom it tells.
    ///   - clock: the time, in milliseconds since 1970.
    package init(_ sources: DashboardSources, clock: @escaping @Sendable () -> Int64 = systemMilliseconds) {
        activity = sources.activity
        events = sources.events
        leases = sources.activeLeases
        queueDepth = sources.queueDepth
        self.clock = clock
    }

    /// Beats until the end begins.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var known = 0
            var beat = 0
            var count: Int?
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                guard events.count > 0 else {
                    // Whoever comes next loads what has been, and is told of what comes.
                    known = activity.count
                    beat = 0
                    continue
                }
                if beat % Self.leaseInterval == 0 { count = await leases() }
                beat += 1
                let (event, now) = event(after: known, leases: count)
                known = now
                events.send(event)
            }
        }
        events.stop()
    }

    /// What the pages are told of the second that has just ended.
    ///
    /// - Parameter known: how many requests they were told of, or could have been.
    func event(after known: Int, leases: Int?) -> (event: ByteBuffer, known: Int) {
        let time = clock() / 1_000 - 1
        let (slot, recent, count) = activity.second(time, after: known, limit: Self.shown)
        let value = JSONValue.fields([
            ("second", ActivityRoutes.json(slot, at: time)),
            ("recent", .array(recent.map(ActivityRoutes.json))),
            ("omitted", .integer(max(count - known - recent.count, 0))),
            ("queue", .integer(queueDepth())),
            ("leases", leases.map { .integer($0) }),
        ])
        return (ServerSentEvent.encode("second", value), count)
    }
}
