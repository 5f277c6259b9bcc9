import KeyServerModule
import Synchronization

/// What the server has been asked lately, in bounded memory: for the dashboard, of this process alone, and gone with it. The
/// audit log is what lasts.
package final class Activity: Sendable {
    /// An outcome and its reason.
    struct Cause: Hashable, Sendable {
        let outcome: ServerMetrics.Outcome
        let reason: String?
    }

    /// What there is to see.
    struct Snapshot: Sendable {
        let step: Int64
        let start: Int64
        let slots: [ActivitySeries.Slot]
        let causes: [Cause: Int]
        let clients: [ActivityEvent.Client: Int]
        let recent: [ActivityEvent]
    }

    /// How far back a look goes.
    enum Window: String, CaseIterable, Sendable {
        /// Five minutes, by the second.
        case minutes = "5m"
        /// An hour, by ten seconds.
        case hour = "1h"
        /// A day, by the minute.
        case day = "24h"
    }

    private struct State {
        var seconds = ActivitySeries(step: 1, count: 301)
        var tens = ActivitySeries(step: 10, count: 361)
        var minutes = ActivitySeries(step: 60, count: 1_441)
        var causes = ActivityTallies(other: Cause(outcome: .refused, reason: MetricLabel.other))
        var clients = ActivityTallies(
            other: ActivityEvent.Client(kind: MetricLabel.other, system: nil, level: nil)
        )
        var recent = RecentItems<ActivityEvent>(capacity: 100)
        var decided = RecentItems<ActivityEvent>(capacity: 500)
    }

    private let state = Mutex(State())

    /// Nothing has happened yet.
    package init() {}

    /// Notes what became of a request.
    func note(_ event: ActivityEvent) {
        let time = event.milliseconds / 1_000
        state.withLock { state in
            state.seconds.add(event.outcome, microseconds: event.microseconds, at: time)
            state.tens.add(event.outcome, microseconds: event.microseconds, at: time)
            state.minutes.add(event.outcome, microseconds: event.microseconds, at: time)
            state.causes.add(Cause(outcome: event.outcome, reason: event.reason), at: time)
            if let client = event.client { state.clients.add(client, at: time) }
            var shown = event
            shown.facts = nil
            state.recent.append(shown)
            if event.facts != nil { state.decided.append(event) }
        }
    }

    /// Counts a request that was turned away unseen. There may be thousands a second, and nothing is known of any.
    ///
    /// - Parameter time: now, in Unix seconds.
    func shed(at time: Int64) {
        state.withLock { state in
            state.seconds.add(.failed, microseconds: nil, at: time)
            state.tens.add(.failed, microseconds: nil, at: time)
            state.minutes.add(.failed, microseconds: nil, at: time)
            state.causes.add(Cause(outcome: .failed, reason: ProblemType.overloaded.name), at: time)
        }
    }

    /// What happened in a length of time up to now; causes and clients of the last hour at most.
    ///
    /// - Parameter time: now, in Unix seconds.
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

    /// How many requests were noted ever.
    var count: Int { state.withLock { $0.recent.count } }

    /// One second, and what came after the first `known` events of all: no more than `limit` of them, the newest first.
    func second(_ time: Int64, after known: Int, limit: Int) -> (ActivitySeries.Slot, [ActivityEvent], count: Int) {
        state.withLock { state in
            let count = state.recent.count
            return (state.seconds.slot(at: time), state.recent.newest(min(count - known, limit)), count)
        }
    }

    /// The last requests whose facts are known, the newest first.
    func decided(_ limit: Int) -> [ActivityEvent] { state.withLock { $0.decided.newest(limit) } }
}
