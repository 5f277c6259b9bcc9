import KeyStore
import Synchronization

/// A queue that decides single requests in groups. Requests that arrive while the workers are busy share the next
/// transaction, so throughput follows the load instead of the network and the disk. No response is sent before its
/// writes are durable.
final class PostgresWriteQueue: Sendable {
    private struct State {
        var waiting: [WriteJob] = []
        var idle: [PostgresWorker]
    }

    private let state: Mutex<State>
    private let workers: [PostgresWorker]
    private let timeout: Duration
    /// The maximum number of waiting jobs, so that a blocked database does not exhaust memory.
    private static let capacity = 10_000
    /// The maximum number of jobs per transaction. Each job has several locks, and the server's lock table has space
    /// for some thousands.
    private static let groupSize = 100

    init(_ settings: PostgresSettings, count: Int) {
        let workers = (0..<count).map { _ in PostgresWorker(settings) }
        self.workers = workers
        timeout = settings.deadline
        state = Mutex(State(idle: workers))
    }

    /// Decides in a transaction, and returns when the commit is durable. `decide` may run several times, with all runs
    /// but the last discarded.
    ///
    /// - Parameters:
    ///   - place: The record that is written, for errors.
    ///   - locks: The locks that the decision requires.
    ///   - reads: The reads under these locks.
    ///   - decide: Decides, given the results of the reads and the catalog's version. Its error discards only its own
    /// writes.
    /// - Throws: The errors of `decide`, ``KeyStoreError/Code/overloaded`` if too many jobs are waiting, and the errors
    ///   of the transaction.
    func perform<Value: Sendable>(
        in place: String,
        locks: [LockKey],
        reads: [PostgresQuery] = [],
        _ decide: @escaping @Sendable ([PostgresResult], Int64) throws -> JobResult<Value>
    ) async throws(KeyStoreError) -> Value {
        let deadline = ContinuousClock.now + timeout
        let result: Result<Value, KeyStoreError> = await withCheckedContinuation { answer in
            let job = WriteJob(
                locks: locks,
                reads: reads,
                deadline: deadline,
                decide: { results, version in
                    let decided = try decide(results, version)
                    return WriteDecision(writes: decided.writes, audit: decided.audit) {
                        answer.resume(returning: .success(decided.value))
                    }
                },
                fail: { error in answer.resume(returning: .failure(KeyStoreError(error, place: place))) }
            )
            let (isAccepted, worker) = state.withLock { state -> (Bool, PostgresWorker?) in
                guard state.waiting.count < Self.capacity else { return (false, nil) }
                state.waiting.append(job)
                return (true, state.idle.popLast())
            }
            if !isAccepted { job.fail(Self.overloaded(place)) }
            if let worker { Task { await worker.drain(self) } }
        }
        return try result.get()
    }

    func close() async { for worker in workers { await worker.close() } }

    /// Returns the next group for a worker, or nil, which makes the worker idle.
    fileprivate func next(for worker: PostgresWorker) -> [WriteJob]? {
        state.withLock { state in
            let group = Array(state.waiting.prefix(Self.groupSize))
            state.waiting.removeFirst(group.count)
            guard !group.isEmpty else {
                state.idle.append(worker)
                return nil
            }
            return group
        }
    }

    private static func overloaded(_ place: String) -> KeyStoreError {
        KeyStoreError(.overloaded, place: place, reason: "\(capacity) writes are waiting for the database")
    }
}

/// The result of a decision: the value for its caller, the writes, and the audit records.
struct JobResult<Value: Sendable>: Sendable {
    let value: Value
    var writes: [PostgresQuery] = []
    var audit: [AuditRecord] = []
}

extension PostgresWorker {
    /// Writes groups until no jobs are left.
    fileprivate func drain(_ queue: PostgresWriteQueue) {
        while let jobs = queue.next(for: self) { write(jobs) }
    }

    private func write(_ jobs: [WriteJob]) {
        let now = ContinuousClock.now
        var group: [WriteJob] = []
        for job in jobs {
            if job.deadline > now {
                group.append(job)
            } else {
                job.fail(KeyStoreError(.overloaded, place: "database", reason: "no connection was free in time"))
            }
        }
        guard let first = group.map(\.deadline).min() else { return }
        let deadline = max(first, now + PostgresSettings.minimumTime)
        do {
            let answers = try transaction(until: deadline) { [group] transaction in
                try WriteGroup(jobs: group).run(in: &transaction)
            }
            for answer in answers { answer() }
        } catch PostgresFailure.refused where group.count > 1 {
            // One job causes the failure, so run the jobs separately.
            for job in group { write([job]) }
        } catch {
            for job in group { job.fail(error) }
        }
    }
}
