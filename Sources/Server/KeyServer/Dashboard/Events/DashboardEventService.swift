import NIOCore
import ServiceLifecycle
import TextCoding

/// A service that sends the activity of each second to the pages, as long as at least one is listening. Add it to the
/// service group after the listeners, because open event streams would delay their shutdown.
package struct DashboardEventService: Service {
    private let activity: Activity
    private let events: EventBroadcaster
    private let leases: @Sendable () async -> Int?
    private let queueDepth: @Sendable () -> Int
    private let time: ServerTime

    /// The maximum number of recent requests per event; the number of omitted requests is included.
    static let shown = 10
    /// The interval at which the number of leases is read from the store, in seconds.
    private static let leaseInterval = 5

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - sources: The data sources, and the broadcaster.
    ///   - time: The time of day, and the clock that measures the seconds.
    package init(_ sources: DashboardSources, time: ServerTime = ServerTime()) {
        activity = sources.activity
        events = sources.events
        leases = sources.activeLeases
        queueDepth = sources.queueDepth
        self.time = time
    }

    /// Sends events until the shutdown starts.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var known = 0
            var beat = 0
            var count: Int?
            while (try? await time.clock.sleep(for: .seconds(1))) != nil {
                guard events.count > 0 else {
                    // A new listener loads the previous activity, and only needs events for later requests.
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

    /// Returns the event for the second that has just ended.
    ///
    /// - Parameter known: The number of requests that previous events covered.
    func event(after known: Int, leases: Int?) -> (event: ByteBuffer, known: Int) {
        let second = time.seconds - 1
        let (slot, recent, count) = activity.second(second, after: known, limit: Self.shown)
        let value = JSONValue.fields([
            ("second", ActivityRoutes.json(slot, at: second)),
            ("recent", .array(recent.map(ActivityRoutes.json))),
            ("omitted", .integer(max(count - known - recent.count, 0))),
            ("queue", .integer(queueDepth())),
            ("leases", leases.map { .integer($0) }),
        ])
        return (ServerSentEvent.encode("second", value), count)
    }
}
