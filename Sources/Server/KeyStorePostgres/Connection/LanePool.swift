import KeyStore
import Synchronization

/// Lanes for reads. Who finds them all at work waits in line, until the deadline.
final class LanePool: Sendable {
    private struct State {
        var idle: [PostgresLane]
        var waiting: [CheckedContinuation<PostgresLane?, Never>] = []
    }

    private let state: Mutex<State>
    private let lanes: [PostgresLane]
    private let patience: Duration
    /// So many may wait; a database that stands still must not fill the memory.
    private static let capacity = 10_000

    init(_ settings: PostgresSettings, count: Int) {
        let lanes = (0..<count).map { _ in PostgresLane(settings) }
        self.lanes = lanes
        patience = settings.deadline
        state = Mutex(State(idle: lanes))
    }

    /// Reads on the next free lane.
    func read<Value: Sendable>(
        in place: String,
        _ work: @Sendable (PostgresReader) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        let deadline = ContinuousClock.now + patience
        guard let lane = await acquire() else {
            throw KeyStoreError(.overloaded, place: place, reason: "\(Self.capacity) reads wait for the database")
        }
        defer { release(lane) }
        let now = ContinuousClock.now
        guard now < deadline else {
            throw KeyStoreError(.overloaded, place: place, reason: "no connection was free in time")
        }
        let end = max(deadline, now + PostgresSettings.leastTime)
        do { return try await lane.read(until: end, work) } catch { throw KeyStoreError(error, place: place) }
    }

    func close() async { for lane in lanes { await lane.close() } }

    private func acquire() async -> PostgresLane? {
        await withCheckedContinuation { waiter in
            let answer: PostgresLane?? = state.withLock { state in
                // The one that was used last: its connection is the likeliest to be alive.
                if let lane = state.idle.popLast() { return .some(lane) }
                guard state.waiting.count < Self.capacity else { return .some(nil) }
                state.waiting.append(waiter)
                return nil
            }
            if let answer { waiter.resume(returning: answer) }
        }
    }

    private func release(_ lane: PostgresLane) {
        let next = state.withLock { state -> CheckedContinuation<PostgresLane?, Never>? in
            guard !state.waiting.isEmpty else {
                state.idle.append(lane)
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: lane)
    }
}
