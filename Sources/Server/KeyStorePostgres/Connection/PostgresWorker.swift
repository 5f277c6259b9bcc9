import Dispatch
import FPSCrypto
import Glibc
import KeyStore

/// A connection with its own thread: an actor whose executor is a serial queue, so that neither an event loop nor the
/// thread pool of Swift concurrency is blocked by the database.
///
/// A lost connection is re-established, within the deadline of the current work.
actor PostgresWorker {
    private let executor = WorkerExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let settings: PostgresSettings
    private var connection: PostgresConnection?
    private var backoff = Backoff()

    init(_ settings: PostgresSettings) { self.settings = settings }

    /// Runs reads, and repeats them if the connection is lost.
    func read<Value: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ work: @Sendable (PostgresReader) throws -> Value
    ) throws -> Value {
        while true {
            let connection = try connected(until: deadline)
            do {
                let value = try work(PostgresReader(connection: connection, deadline: deadline))
                backoff.reset()
                return value
            } catch let failure as PostgresFailure {
                try recover(from: failure, until: deadline)
            }
        }
    }

    /// Runs `body` in a READ COMMITTED transaction, and returns when the commit is durable.
    ///
    /// `body` may run several times, with all runs but the last rolled back: after a serialization failure, a deadlock
    /// or a lost connection. If the connection is lost during the commit, a new connection determines the outcome from
    /// the mark that every transaction writes (``CommitMark``).
    ///
    /// - Throws: The errors of `body`, and ``PostgresFailure``. After `lost`, the outcome is unknown.
    func transaction<Value: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ body: @Sendable (inout PostgresTransaction) throws -> Value
    ) throws -> Value {
        while true {
            let connection = try connected(until: deadline)
            var transaction = PostgresTransaction(connection: connection, deadline: deadline)
            let value: Value
            do {
                value = try body(&transaction)
            } catch {
                rollBack(connection)
                guard let failure = error as? PostgresFailure else { throw error }
                try recover(from: failure, until: deadline)
                continue
            }
            let mark = CommitMark()
            do {
                _ = try connection.run(transaction.commit(with: mark), until: deadline)
                backoff.reset()
                return value
            } catch let failure {
                if case .lost = failure {
                    self.connection = nil
                    guard try isCommitted(mark, until: deadline) else { continue }
                    backoff.reset()
                    return value
                } else {
                    rollBack(connection)
                    try recover(from: failure, until: deadline)
                }
            }
        }
    }

    /// Closes the connection; the next work opens a new one.
    func close() { connection = nil }

    /// Queries a mark, over as many connections as necessary.
    private func isCommitted(_ mark: CommitMark, until deadline: ContinuousClock.Instant) throws -> Bool {
        while true {
            do {
                let results = try connected(until: deadline).run(mark.statusQuery, until: deadline)
                return results.last?.rows.first?.boolean(0) ?? false
            } catch {
                try recover(from: error, until: deadline)
            }
        }
    }

    private func connected(until deadline: ContinuousClock.Instant) throws(PostgresFailure) -> PostgresConnection {
        while true {
            if let connection, connection.isUsable { return connection }
            connection = nil
            do {
                let new = try PostgresConnection(settings, until: deadline)
                connection = new
                return new
            } catch {
                try wait(after: error, until: deadline)
            }
        }
    }

    /// Waits before the next attempt, or throws if there must be no further attempt.
    private func recover(
        from failure: PostgresFailure,
        until deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        if case .lost = failure {
            connection = nil
        } else if !failure.isTransient || backoff.attempts >= Backoff.maximumAttempts {
            backoff.reset()
            throw failure
        }
        try wait(after: failure, until: deadline)
    }

    private func wait(
        after failure: PostgresFailure,
        until deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        let pause = backoff.next()
        guard ContinuousClock.now + pause < deadline else {
            backoff.reset()
            throw failure
        }
        // The thread belongs to this worker, so it may block.
        usleep(UInt32(pause / .microseconds(1)))
    }

    /// Rolls back a failed transaction. If that fails, too, the connection is closed, which ends the transaction.
    private func rollBack(_ connection: PostgresConnection) {
        guard connection.isUsable else { return self.connection = nil }
        do { _ = try connection.run([PostgresQuery("ROLLBACK")], until: .now + .seconds(1)) } catch {
            self.connection = nil
        }
    }
}

/// The exponential backoff between attempts: starting at 20 milliseconds, doubled each time up to a second, with random
/// jitter, so that servers which failed together do not reconnect together.
private struct Backoff {
    static let maximumAttempts = 8
    private(set) var attempts = 0

    mutating func reset() { attempts = 0 }

    mutating func next() -> Duration {
        let longest = min(20 << min(attempts, 6), 1_000)
        attempts = min(attempts + 1, Self.maximumAttempts)
        return .milliseconds(Int.random(in: longest / 2...longest))
    }
}

/// Runs a worker's jobs sequentially on its own queue, which may block.
private final class WorkerExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "keyway.postgres-worker")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
