import ContentKeySession
import Synchronization

/// An executor that runs tasks one after the other on the caller's thread. When no task can continue, the time jumps to
/// the next sleeper's time; if there is no sleeper, the simulation is deadlocked and ends with an error.
///
/// All concurrency must be structured: child tasks stay on this executor, other tasks would not.
final class Simulation: TaskExecutor {
    struct Hangs: Error {}

    private struct Sleeper {
        let id: UInt64
        let moment: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var jobs: [UnownedJob] = []
        var sleepers: [Sleeper] = []
        var ids: UInt64 = 0
        var cancelled: Set<UInt64> = []
    }

    private let state = Mutex(State())

    var now: Duration { state.withLock { $0.now } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// Runs until `body` has ended.
    func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let holder = Holder(outcome)
        let task = Task(executorPreference: self) {
            do {
                try await body()
                holder.outcome.withLock { $0 = .success(()) }
            } catch {
                holder.outcome.withLock { $0 = .failure(error) }
            }
        }
        var hangs = false
        while true {
            if let result = holder.outcome.withLock({ $0 }) {
                if hangs { throw Hangs() }
                return try result.get()
            }
            if let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
                job.runSynchronously(on: asUnownedTaskExecutor())
            } else if !jump() {
                if hangs { throw Hangs() }
                hangs = true
                task.cancel()
            }
        }
    }

    private final class Holder: Sendable {
        let outcome: Mutex<Result<Void, any Error>?>
        init(_ outcome: consuming Mutex<Result<Void, any Error>?>) { self.outcome = outcome }
    }

    private func jump() -> Bool {
        let next = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.indices.min(by: { state.sleepers[$0].moment < state.sleepers[$1].moment })
            else { return nil }
            let sleeper = state.sleepers.remove(at: index)
            state.now = max(state.now, sleeper.moment)
            return sleeper
        }
        next?.continuation.resume()
        return next != nil
    }

    func sleep(until moment: Duration) async throws {
        let id = state.withLock { state in
            state.ids += 1
            return state.ids
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return true }
                    state.sleepers.append(Sleeper(id: id, moment: moment, continuation: continuation))
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// The simulated time, for the loader.
    var clock: SimulatedClock { SimulatedClock(simulation: self) }
}

/// A clock that advances only by jumps.
struct SimulatedClock: Clock {
    struct Instant: InstantProtocol {
        var time: Duration
        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration { other.time - time }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    let simulation: Simulation
    var now: Instant { Instant(time: simulation.now) }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await simulation.sleep(until: deadline.time)
    }
}
