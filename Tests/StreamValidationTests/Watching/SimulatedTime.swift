import Synchronization

/// A clock whose time passes only when nothing else can run: it is also the executor of the tasks that use it, all on one
/// thread. An hour takes as long as its work, and each run has the same course.
final class SimulatedTime: TaskExecutor, Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var jobs: [UnownedJob] = []
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var nextID = 0
    }

    /// The result of a task, for the thread that waits for it.
    private final class Result<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    private let state = Mutex(State())

    var now: Instant { Instant(offset: state.withLock(\.now)) }
    var minimumResolution: Duration { .nanoseconds(1) }
    /// The time in seconds.
    var seconds: Double { now.offset / .seconds(1) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isOver: Bool? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return nil }
                    if deadline.offset <= state.now { return true }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline.offset, continuation: continuation))
                    return false
                }
                if isOver == true { continuation.resume() }
                if isOver == nil { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper: Sleeper? = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Runs a task to its end, on this thread. Nil if it waits for something that never happens.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value? {
        let result = Result<Value>()
        Task(executorPreference: self) {
            let value = await body()
            result.value.withLock { $0 = value }
        }
        while true {
            while let job = nextJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
            if let value = result.value.withLock({ $0 }) { return value }
            guard advance() else { return nil }
        }
    }

    private func nextJob() -> UnownedJob? {
        state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    }

    /// Wakes the task that sleeps for the shortest time.
    private func advance() -> Bool {
        let sleeper: Sleeper? = state.withLock { state in
            guard
                let index = state.sleepers.indices.min(by: { left, right in
                    (state.sleepers[left].deadline, state.sleepers[left].id)
                        < (state.sleepers[right].deadline, state.sleepers[right].id)
                })
            else { return nil }
            let sleeper = state.sleepers.remove(at: index)
            state.now = max(state.now, sleeper.deadline)
            return sleeper
        }
        sleeper?.continuation.resume()
        return sleeper != nil
    }
}
