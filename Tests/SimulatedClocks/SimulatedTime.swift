import Foundation
import Locking

/// A task executor with simulated time, which runs a client's tasks one after the other on a separate thread, together
/// with real sockets. When no task can continue and no exchange (a request and its response) is in progress, the time
/// jumps to the deadline of the next sleeping task. So backoffs take no real time, and no timeout expires before a
/// response arrives.
///
/// The executor is intended for tests and demonstrations: a simulated hour takes only as long as the work in it. All
/// concurrency must be structured, because child tasks inherit this executor and unstructured tasks do not.
@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
package final class SimulatedTime: TaskExecutor {
    /// An error that is thrown if no task can continue, or if an exchange takes longer than a minute.
    package struct Hangs: Error {}

    private struct Sleeper {
        let id: UInt64
        let deadline: Duration
        let exchange: Int?
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var jobs: [UnownedJob] = []
        var sleepers: [Sleeper] = []
        var cancelled: Set<UInt64> = []
        var ids: UInt64 = 0
        /// The exchanges that have started and not finished, and those of them during which the time does not advance.
        var active: Set<Int> = []
        var awaited: Set<Int> = []
        var exchanges = 0
        var isOver = false
    }

    private let state = Lock(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Creates a simulated time at zero.
    package init() {}

    /// The simulated time that has passed.
    package var now: Duration { state.withLock { $0.now } }

    /// Advances the time. No task must be sleeping.
    package func skip(_ duration: Duration) { state.withLock { $0.now += duration } }

    /// Enqueues a job of a task.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isOver = state.withLock { state in
            if !state.isOver { state.jobs.append(job) }
            return state.isOver
        }
        // After the end of `run`, no thread executes jobs, so a late job gets a new thread.
        if isOver { Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
        wakeUp.signal()
    }

    /// Runs the executor until `body` has finished, and returns the result of `body`.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let outcome = Outcome<Value>()
        // The task is created here, so that it inherits the task-local values of the test, and expectations are
        // recorded for that test.
        let task = Task(executorPreference: self) {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.value.withLock { $0 = result }
        }
        return try await withCheckedThrowingContinuation { (done: CheckedContinuation<Value, any Error>) in
            Thread.detachNewThread { done.resume(with: Result { try self.work(task, outcome) }) }
        }
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let value = Lock<Result<Value, any Error>?>(nil)
    }

    private enum Step {
        case run(UnownedJob)
        case wait
        case jump(Sleeper)
        case stuck
    }

    private func work<Value>(_ task: Task<Void, Never>, _ outcome: Outcome<Value>) throws -> Value {
        defer { state.withLock { $0.isOver = true } }
        var hangs = false
        while true {
            if let result = outcome.value.withLock({ $0 }) {
                if hangs { throw Hangs() }
                return try result.get()
            }
            let step = next()
            switch step {
            case .run(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .jump(let sleeper): sleeper.continuation.resume()
            case .wait where wakeUp.wait(timeout: .now() + 60) == .success: break
            case .wait, .stuck:
                if hangs { throw Hangs() }
                hangs = true
                task.cancel()
            }
        }
    }

    private func next() -> Step {
        state.withLock { state in
            if !state.jobs.isEmpty { return .run(state.jobs.removeFirst()) }
            if !state.awaited.isEmpty { return .wait }
            guard
                let index = state.sleepers.indices.min(by: { state.sleepers[$0].deadline < state.sleepers[$1].deadline }
                )
            else { return .stuck }
            let sleeper = state.sleepers.remove(at: index)
            state.now = max(state.now, sleeper.deadline)
            if let exchange = sleeper.exchange, state.active.contains(exchange) { state.awaited.insert(exchange) }
            return .jump(sleeper)
        }
    }

    // MARK: Exchanges

    /// Starts an exchange, during which the time does not advance. Returns the ID of the exchange.
    package func beginExchange() -> Int {
        state.withLock { state in
            state.exchanges += 1
            state.active.insert(state.exchanges)
            state.awaited.insert(state.exchanges)
            return state.exchanges
        }
    }

    /// Finishes an exchange after its response has arrived.
    package func endExchange(_ id: Int) {
        state.withLock { state in
            state.active.remove(id)
            state.awaited.remove(id)
        }
        wakeUp.signal()
    }

    /// Allows the time to advance during an exchange that will get no response.
    package func abandonExchange(_ id: Int) {
        state.withLock { _ = $0.awaited.remove(id) }
        wakeUp.signal()
    }

    /// Stops the time again until the end of an exchange that is being cancelled.
    package func awaitExchange(_ id: Int) {
        state.withLock { state in if state.active.contains(id) { state.awaited.insert(id) } }
    }

    /// Calls a closure that depends on other threads; the time does not advance during the call.
    package func outside<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
        let id = beginExchange()
        defer { endExchange(id) }
        return try await body()
    }

    // MARK: Sleeping

    /// Suspends the task until the given time.
    ///
    /// - Parameter exchange: the exchange during which the time does not advance after that.
    package func sleep(until deadline: Duration, exchange: Int? = nil) async throws {
        let id = state.withLock { state in
            state.ids += 1
            return state.ids
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return true }
                    state.sleepers.append(
                        Sleeper(id: id, deadline: deadline, exchange: exchange, continuation: continuation)
                    )
                    if let exchange { state.awaited.remove(exchange) }
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                wakeUp.signal()
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
}
