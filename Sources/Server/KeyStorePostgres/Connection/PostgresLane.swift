import Dispatch
import FPSCrypto
import Glibc
import KeyStore

/// A connection with the thread that waits for it: an actor whose executor is a serial queue, so that neither an event
/// loop nor the pool of Swift's tasks ever stands still for the database.
///
/// A connection that is lost is made anew, for as long as the deadline of the work at hand allows.
actor PostgresLane {
    private let executor = LaneExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let settings: PostgresSettings
    private var connection: PostgresConnection?
    private var backoff = Backoff()

    init(_ settings: PostgresSettings) { self.settings = settings }

    /// Runs reads, again when the connection is lost meanwhile.
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

    /// Runs `body` in a transaction, READ COMMITTED, and answers when that is safe.
    ///
    /// `body` may run several times, all but the last for nothing: after a serialization failure, a deadlock or a lost
    /// connection. When the connection is lost while the transaction is being committed, the outcome is not guessed: every
    /// transaction leaves a mark of its own, and a new connection finds out about it (``CommitMark``).
    ///
    /// - Throws: what `body` throws, and ``PostgresFailure``. When that is `lost`, the outcome is not known.
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
                undo(connection)
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
                    undo(connection)
                    try recover(from: failure, until: deadline)
                }
            }
        }
    }

    /// Gives the connection up; the next work makes a new one.
    func close() { connection = nil }

    /// Asks about a mark, over as many connections as it takes.
    private func isCommitted(_ mark: CommitMark, until deadline: ContinuousClock.Instant) throws -> Bool {
        while true {
            do {
                let results = try connected(until: deadline).run(mark.question, until: deadline)
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
                let made = try PostgresConnection(settings, until: deadline)
                connection = made
                return made
            } catch {
                try wait(after: error, until: deadline)
            }
        }
    }

    /// Waits before the next attempt, or throws when there is to be none.
    private func recover(
        from failure: PostgresFailure,
        until deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        if case .lost = failure {
            connection = nil
        } else if !failure.isPassing || backoff.attempts >= Backoff.maximumAttempts {
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
        // The thread is this lane's own.
        usleep(UInt32(pause / .microseconds(1)))
    }

    /// Ends a transaction that failed. Where that fails too the connection goes, and the transaction with it.
    private func undo(_ connection: PostgresConnection) {
        guard connection.isUsable else { return self.connection = nil }
        do { _ = try connection.run([PostgresQuery("ROLLBACK")], until: .now + .seconds(1)) } catch {
            self.connection = nil
        }
    }
}

/// How long to wait before the next attempt: from 20 milliseconds, twice as long each time, up to a second, and a random
/// part of it less, so that servers which failed together do not come back together.
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

/// Runs a lane's jobs one after the other on a queue of its own, which may block.
private final class LaneExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "keyway.postgres-lane")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
