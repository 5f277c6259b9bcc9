import Locking

/// The time of a ``TestClock``, its sleeping tasks, and the number of jobs of the clock's tasks that are not finished.
///
/// The time moves only while an operation drives it, and only when no task of the clock can continue: then it jumps to
/// the earliest deadline, and the task that waits for it is resumed.
final class TestTime: Sendable {
    private struct Sleeper {
        let id: UInt64
        let deadline: Duration
        /// True for the end of an advance, which follows everything else that is due at the same time.
        let isLast: Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var sleepers: [Sleeper] = []
        var cancelled: Set<UInt64> = []
        var lastID: UInt64 = 0
        /// The number of operations that drive the time.
        var drivers = 0
        /// The number of jobs that are waiting or running.
        var jobs = 0
        /// The number of jobs so far, from which a step detects that a task has continued in the meantime.
        var generation: UInt64 = 0
        var observers: [UInt64: @Sendable () -> Void] = [:]
    }

    private let state = Lock(State())

    /// The time since the start.
    var now: Duration { state.withLock { $0.now } }

    // MARK: Jobs and drivers

    /// Notes that a job of a task was enqueued.
    func jobEnqueued() {
        state.withLock { state in
            state.jobs += 1
            state.generation += 1
        }
    }

    /// Notes that a job has run.
    func jobFinished() {
        state.withLock { $0.jobs -= 1 }
        scheduleStep()
    }

    /// Starts to move the time whenever no task can continue.
    func beginDriving() {
        state.withLock { $0.drivers += 1 }
        scheduleStep()
    }

    /// Ends what ``beginDriving()`` started.
    func endDriving() { state.withLock { $0.drivers -= 1 } }

    /// Adds a function that is called when the time has changed, before tasks are resumed. Returns its ID.
    func addObserver(_ observer: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.observers[state.lastID] = observer
            return state.lastID
        }
    }

    func removeObserver(_ id: UInt64) { state.withLock { _ = $0.observers.removeValue(forKey: id) } }

    /// Moves the time after the jobs that are waiting on the main actor, which no executor of this clock counts.
    private func scheduleStep() {
        let generation: UInt64? = state.withLock { state in
            state.drivers > 0 && state.jobs == 0 && !state.sleepers.isEmpty ? state.generation : nil
        }
        guard let generation else { return }
        Task { @MainActor in self.step(ifUnchangedSince: generation) }
    }

    /// Jumps to the earliest deadline, unless a task has continued since a generation.
    private func step(ifUnchangedSince generation: UInt64) {
        let due: (sleeper: Sleeper, observers: [@Sendable () -> Void])? = state.withLock { state in
            guard state.drivers > 0, state.jobs == 0, generation == state.generation,
                let index = state.sleepers.indices.min(by: { Self.precedes(state.sleepers[$0], state.sleepers[$1]) })
            else { return nil }
            let sleeper = state.sleepers.remove(at: index)
            let moves = sleeper.deadline > state.now
            state.now = max(state.now, sleeper.deadline)
            // This step counts as a job until the tasks that it resumes are enqueued.
            state.jobs += 1
            state.generation += 1
            return (sleeper, moves ? state.observers.sorted { $0.key < $1.key }.map(\.value) : [])
        }
        guard let due else { return }
        for observer in due.observers { observer() }
        due.sleeper.continuation.resume()
        jobFinished()
    }

    private static func precedes(_ left: Sleeper, _ right: Sleeper) -> Bool {
        (left.deadline, left.isLast ? 1 : 0, left.id) < (right.deadline, right.isLast ? 1 : 0, right.id)
    }

    // MARK: Sleeping

    /// Suspends the task until a time.
    ///
    /// - Parameter isLast: True if all other tasks with the same deadline are resumed first.
    /// - Throws: `CancellationError`.
    func sleep(until deadline: Duration, isLast: Bool = false) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if state.now >= deadline, !isLast { return .success(()) }
                    state.sleepers.append(
                        Sleeper(id: id, deadline: deadline, isLast: isLast, continuation: continuation)
                    )
                    return nil
                }
                guard let outcome else { return scheduleStep() }
                continuation.resume(with: outcome)
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
}
