import Foundation
import Locking

/// A clock that only ``AppleSystem/advance(by:)`` advances. Timers that are due at the same time run in the order in
/// which they were made.
package final class SystemClock: Clock, Sendable {
    /// A time since 1970.
    package struct Instant: InstantProtocol {
        package var offset: Duration
        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
        package var date: Date {
            // Not by a division of durations, which is not exact for whole seconds.
            let (seconds, attoseconds) = offset.components
            return Date(timeIntervalSince1970: Double(seconds) + Double(attoseconds) * 1e-18)
        }
    }

    private struct State {
        var now: Instant
        var lastID: UInt64 = 0
        var timers: [UInt64: (at: Instant, action: @Sendable () -> Void)] = [:]
        var sleepers: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var cancelled: Set<UInt64> = []
    }
    private let state: Lock<State>

    /// Creates a clock that begins at a number of seconds since 1970; the default is 1 January 2026.
    package init(secondsSince1970: Int64 = 1_767_225_600) {
        state = Lock(State(now: Instant(offset: .seconds(secondsSince1970))))
    }

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .zero }
    package var date: Date { now.date }

    /// Runs an action when the clock has reached a time. Returns the ID for ``cancel(_:)``.
    @discardableResult
    package func schedule(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.timers[state.lastID] = (state.now.advanced(by: duration), action)
            return state.lastID
        }
    }

    package func cancel(_ timer: UInt64) { state.withLock { $0.timers[timer] = nil } }

    /// Moves the clock to the next timer and returns its action; nil if no timer is due until `end`.
    func nextDue(until end: Instant) -> (@Sendable () -> Void)? {
        state.withLock { state in
            let due = state.timers.filter { $0.value.at <= end }
                .min { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
            guard let due else { return nil }
            state.timers[due.key] = nil
            state.now = max(state.now, due.value.at)
            return due.value.action
        }
    }

    func set(_ instant: Instant) { state.withLock { $0.now = max($0.now, instant) } }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                enum Outcome { case cancelled, reached, waiting }
                let outcome: Outcome = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .cancelled }
                    if state.now >= deadline { return .reached }
                    state.timers[id] = (deadline, { continuation.resume() })
                    state.sleepers[id] = continuation
                    return .waiting
                }
                switch outcome {
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .reached: continuation.resume()
                case .waiting: break
                }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.timers.removeValue(forKey: id) == nil ? nil : state.sleepers[id]
                state.sleepers[id] = nil
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.resume(throwing: CancellationError())
        }
    }
}
