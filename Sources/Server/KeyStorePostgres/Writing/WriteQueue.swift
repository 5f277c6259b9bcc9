import KeyStore
import Synchronization

/// Decides in groups on what single requests ask for. What arrives while the lanes are at work goes into the next
/// transaction together, so that the rate follows the load instead of the network and the disk; nobody is answered before
/// what they asked for is safe.
final class WriteQueue: Sendable {
    private struct State {
        var waiting: [WriteJob] = []
        var idle: [PostgresLane]
    }

    private let state: Mutex<State>
    private let lanes: [PostgresLane]
    private let patience: Duration
    /// So many may wait; a database that stands still must not fill the memory.
    private static let capacity = 10_000
    /// Each job has some locks, and the server has room for some thousands of all transactions together.
    private static let groupSize = 100

    init(_ settings: PostgresSettings, count: Int) {
        let lanes = (0..<count).map { _ in PostgresLane(settings) }
        self.lanes = lanes
        patience = settings.deadline
        state = Mutex(State(idle: lanes))
    }

    /// Takes a decision in a transaction, and answers when that is safe. It may be taken several times, all but the last
    /// time for nothing.
    ///
    /// - Parameters:
    ///   - place: what is written, for errors.
    ///   - locks: what nobody else may decide on meanwhile.
    ///   - reads: what is read under these locks.
    ///   - decide: given what was read and the catalog's version; what it throws undoes its own writes only.
    /// - Throws: what `decide` throws, ``KeyStoreError/Code/overloaded`` when too much waits, and what a transaction can
    ///   fail with.
    func perform<Value: Sendable>(
        in place: String,
        locks: [LockKey],
        reads: [PostgresQuery] = [],
        _ decide: @escaping @Sendable ([PostgresResult], Int64) throws -> Decided<Value>
    ) async throws(KeyStoreError) -> Value {
        let deadline = ContinuousClock.now + patience
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
            let (isTaken, lane) = state.withLock { state -> (Bool, PostgresLane?) in
                guard state.waiting.count < Self.capacity else { return (false, nil) }
                state.waiting.append(job)
                return (true, state.idle.popLast())
            }
            if !isTaken { job.fail(Self.overloaded(place)) }
            if let lane { Task { await lane.drain(self) } }
        }
        return try result.get()
    }

    func close() async { for lane in lanes { await lane.close() } }

    /// The next group for a lane, or nil, and then the lane is idle.
    fileprivate func next(for lane: PostgresLane) -> [WriteJob]? {
        state.withLock { state in
            let group = Array(state.waiting.prefix(Self.groupSize))
            state.waiting.removeFirst(group.count)
            guard !group.isEmpty else {
                state.idle.append(lane)
                return nil
            }
            return group
        }
    }

    private static func overloaded(_ place: String) -> KeyStoreError {
        KeyStoreError(.overloaded, place: place, reason: "\(capacity) writes wait for the database")
    }
}

/// What a decision writes, and what its caller is told.
struct Decided<Value: Sendable>: Sendable {
    let value: Value
    var writes: [PostgresQuery] = []
    var audit: [AuditRecord] = []
}

extension PostgresLane {
    /// Writes groups until none are left.
    fileprivate func drain(_ queue: WriteQueue) {
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
        let deadline = max(first, now + PostgresSettings.leastTime)
        do {
            let answers = try transaction(until: deadline) { [group] transaction in
                try WriteGroup(jobs: group).run(in: &transaction)
            }
            for answer in answers { answer() }
        } catch PostgresFailure.refused where group.count > 1 {
            // One of them is to blame; the others need not suffer.
            for job in group { write([job]) }
        } catch {
            for job in group { job.fail(error) }
        }
    }
}
