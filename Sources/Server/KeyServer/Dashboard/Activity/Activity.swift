import KeyServerModule
import KeyStore
import Synchronization

/// The recent activity of this server process for the dashboard, in bounded memory. It is lost when the process ends;
/// ``ActivityHistory`` writes sums of it to the store, and the audit log is the permanent record.
package final class Activity: Sendable {
    /// An outcome with its reason.
    struct Cause: Hashable, Sendable {
        let outcome: ServerMetrics.Outcome
        let reason: String?
    }

    /// The activity in a time window.
    struct Snapshot: Sendable {
        let step: Int64
        let start: Int64
        let slots: [ActivitySeries.Slot]
        let causes: [Cause: Int]
        let clients: [ActivityEvent.Client: Int]
        let recent: [ActivityEvent]
    }

    /// The use of a certificate bundle since the process started.
    struct BundleUse: Sendable, Equatable {
        /// The number of requests whose SPC the bundle decrypted.
        var requests = 0
        /// The time of the last one, in Unix seconds.
        var last: Int64 = 0
    }

    /// The maximum number of bundles whose use is counted.
    private static let bundleCapacity = 256

    /// The time window of a snapshot.
    enum Window: String, CaseIterable, Sendable {
        /// Five minutes, in steps of a second.
        case minutes = "5m"
        /// An hour, in steps of ten seconds.
        case hour = "1h"
        /// A day, in steps of a minute.
        case day = "24h"
    }

    private struct State {
        var seconds = ActivitySeries(step: 1, count: 301)
        var tens = ActivitySeries(step: 10, count: 361)
        var minutes = ActivitySeries(step: 60, count: 1_441)
        var rollup = ActivityRollup()
        var causes = ActivityCounts(other: Cause(outcome: .refused, reason: MetricLabel.other))
        var clients = ActivityCounts(
            other: ActivityEvent.Client(kind: MetricLabel.other, system: nil, level: nil)
        )
        var recent = RingBuffer<ActivityEvent>(capacity: 100)
        var decided = RingBuffer<ActivityEvent>(capacity: 500)
        var bundles: [String: BundleUse] = [:]
    }

    private let state = Mutex(State())

    /// Creates an empty activity.
    package init() {}

    /// Records the outcome of a request.
    func note(_ event: ActivityEvent) {
        let time = event.milliseconds / 1_000
        state.withLock { state in
            state.seconds.add(event.outcome, microseconds: event.microseconds, at: time)
            state.tens.add(event.outcome, microseconds: event.microseconds, at: time)
            state.minutes.add(event.outcome, microseconds: event.microseconds, at: time)
            state.rollup.add(event, at: time)
            state.causes.add(Cause(outcome: event.outcome, reason: event.reason), at: time)
            if let client = event.client { state.clients.add(client, at: time) }
            if let name = event.bundleName,
                state.bundles[name] != nil || state.bundles.count < Self.bundleCapacity
            {
                state.bundles[name, default: BundleUse()].requests += 1
                state.bundles[name]?.last = time
            }
            var shown = event
            shown.facts = nil
            state.recent.append(shown)
            if event.facts != nil { state.decided.append(event) }
        }
    }

    /// Counts a request that was shed before it was processed. There may be thousands per second, without further
    /// information.
    ///
    /// - Parameter time: The current time, in Unix seconds.
    func shed(at time: Int64) {
        state.withLock { state in
            state.seconds.add(.failed, microseconds: nil, at: time)
            state.tens.add(.failed, microseconds: nil, at: time)
            state.minutes.add(.failed, microseconds: nil, at: time)
            state.rollup.shed(at: time)
            state.causes.add(Cause(outcome: .failed, reason: ProblemType.overloaded.name), at: time)
        }
    }

    /// Removes and returns the activity to write to the store; see ``ActivityRollup/take(before:node:)``.
    func take(before time: Int64, node: [UInt8]) -> [ActivityRecord] {
        state.withLock { $0.rollup.take(before: time, node: node) }
    }

    /// Returns the activity in a time window up to now. Causes and clients are limited to the last hour.
    ///
    /// - Parameter time: The current time, in Unix seconds.
    func snapshot(_ window: Window, at time: Int64) -> Snapshot {
        state.withLock { state in
            let (series, count, minutes) =
                switch window {
                case .minutes: (state.seconds, 300, 5)
                case .hour: (state.tens, 360, 60)
                case .day: (state.minutes, 1_440, 60)
                }
            let (start, slots) = series.slots(count, before: time)
            return Snapshot(
                step: series.step,
                start: start,
                slots: slots,
                causes: state.causes.sum(minutes: minutes, at: time),
                clients: state.clients.sum(minutes: minutes, at: time),
                recent: state.recent.newest(50)
            )
        }
    }

    /// Returns the use of a certificate bundle since the process started.
    func use(ofBundle name: String) -> BundleUse { state.withLock { $0.bundles[name] ?? BundleUse() } }

    /// The number of requests since the process started.
    var count: Int { state.withLock { $0.recent.count } }

    /// Returns the slot of one second, and the events after the first `known` events of all: at most `limit`, newest
    /// first.
    func second(_ time: Int64, after known: Int, limit: Int) -> (ActivitySeries.Slot, [ActivityEvent], count: Int) {
        state.withLock { state in
            let count = state.recent.count
            return (state.seconds.slot(at: time), state.recent.newest(min(count - known, limit)), count)
        }
    }

    /// Returns the last requests with known facts, newest first.
    func decided(_ limit: Int) -> [ActivityEvent] { state.withLock { $0.decided.newest(limit) } }
}
