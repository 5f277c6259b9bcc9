import KeyStore
import Synchronization

/// A pool of connections for reads. If all of them are busy, a read waits until its deadline.
final class ConnectionPool: Sendable {
    private struct State {
        var idle: [PostgresWorker]
        var waiting: [CheckedContinuation<PostgresWorker?, Never>] = []
    }

    private let state: Mutex<State>
    private let workers: [PostgresWorker]
    private let timeout: Duration
    /// The maximum number of waiting reads, so that a blocked database does not exhaust memory.
    private static let capacity = 10_000

    init(_ settings: PostgresSettings, count: Int) {
        let workers = (0..<count).map { _ in PostgresWorker(settings) }
        self.workers = workers
        timeout = settings.deadline
        state = Mutex(State(idle: workers))
    }

    /// Reads on the next free connection.
    func read<Value: Sendable>(
        in place: String,
        _ work: @Sendable (PostgresReader) throws -> Value
    ) async throws(KeyStoreError) -> Value {
        let deadline = ContinuousClock.now + timeout
        guard let worker = await acquire() else {
            throw KeyStoreError(
                .overloaded,
                place: place,
                reason: "\(Self.capacity) reads are waiting for the database"
            )
        }
        defer { release(worker) }
        let now = ContinuousClock.now
        guard now < deadline else {
            throw KeyStoreError(.overloaded, place: place, reason: "no connection was free in time")
        }
        let end = max(deadline, now + PostgresSettings.minimumTime)
        do { return try await worker.read(until: end, work) } catch { throw KeyStoreError(error, place: place) }
    }

    func close() async { for worker in workers { await worker.close() } }

    private func acquire() async -> PostgresWorker? {
        await withCheckedContinuation { waiter in
            let answer: PostgresWorker?? = state.withLock { state in
                // The connection that was used last is the most likely to be alive.
                if let worker = state.idle.popLast() { return .some(worker) }
                guard state.waiting.count < Self.capacity else { return .some(nil) }
                state.waiting.append(waiter)
                return nil
            }
            if let answer { waiter.resume(returning: answer) }
        }
    }

    private func release(_ worker: PostgresWorker) {
        let next = state.withLock { state -> CheckedContinuation<PostgresWorker?, Never>? in
            guard !state.waiting.isEmpty else {
                state.idle.append(worker)
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: worker)
    }
}
