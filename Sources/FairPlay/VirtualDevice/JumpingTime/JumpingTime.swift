internal import Foundation
import Locking

/// Runs a client's tasks one after the other on a thread of their own, beside real sockets. When none can go on and no
/// exchange is on its way, time jumps to the next sleeper's moment. So back-offs take no time, and no answer is overtaken.
///
/// For tests and demonstrations: an hour takes as long as what is done in it. Everything has to be structured: child tasks
/// stay on this executor, others would not.
@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
package final class JumpingTime: TaskExecutor {
    /// Nothing can go on any more, or an exchange took longer than a minute.
    package struct Hangs: Error {}

    private struct Sleeper {
        let id: UInt64
        let moment: Duration
        let exchange: Int?
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var jobs: [UnownedJob] = []
        var sleepers: [Sleeper] = []
        var cancelled: Set<UInt64> = []
        var ids: UInt64 = 0
        /// Exchanges that have begun and not ended, and those of them that time waits for.
        var begun: Set<Int> = []
        var awaited: Set<Int> = []
        var exchanges = 0
        var isOver = false
    }

    private let state = Lock(State())
    private let news = DispatchSemaphore(value: 0)

    /// Time that has not passed yet.
    package init() {}

    /// How much has passed.
    package var now: Duration { state.withLock { $0.now } }

    /// Moves the time on, where nobody sleeps.
    package func skip(_ duration: Duration) { state.withLock { $0.now += duration } }

    /// Takes a job of a task.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isOver = state.withLock { state in
            if !state.isOver { state.jobs.append(job) }
            return state.isOver
        }
        // What comes after the end has nobody to run it here.
        if isOver { Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
        news.signal()
    }

    /// Runs until `body` has ended.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let outcome = Outcome<Value>()
        // Made here, so that what a test expects is known to be that test's.
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
            case .wait where news.wait(timeout: .now() + 60) == .success: break
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
            guard let index = state.sleepers.indices.min(by: { state.sleepers[$0].moment < state.sleepers[$1].moment })
            else { return .stuck }
            let sleeper = state.sleepers.remove(at: index)
            state.now = max(state.now, sleeper.moment)
            if let exchange = sleeper.exchange, state.begun.contains(exchange) { state.awaited.insert(exchange) }
            return .jump(sleeper)
        }
    }

    // MARK: Exchanges

    /// Time stands still from now on.
    package func beginExchange() -> Int {
        state.withLock { state in
            state.exchanges += 1
            state.begun.insert(state.exchanges)
            state.awaited.insert(state.exchanges)
            return state.exchanges
        }
    }

    /// Its answer is there.
    package func endExchange(_ id: Int) {
        state.withLock { state in
            state.begun.remove(id)
            state.awaited.remove(id)
        }
        news.signal()
    }

    /// Nothing more will come of it: time goes on.
    package func abandonExchange(_ id: Int) {
        state.withLock { _ = $0.awaited.remove(id) }
        news.signal()
    }

    /// It is being cancelled, and its end is waited for.
    package func awaitExchange(_ id: Int) {
        state.withLock { state in if state.begun.contains(id) { state.awaited.insert(id) } }
    }

    /// Does something that other threads take part in, while time stands still.
    package func outside<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
        let id = beginExchange()
        defer { endExchange(id) }
        return try await body()
    }

    // MARK: Sleeping

    /// Waits for a moment.
    ///
    /// - Parameter exchange: What time waits for again from that moment on.
    package func sleep(until moment: Duration, exchange: Int? = nil) async throws {
        let id = state.withLock { state in
            state.ids += 1
            return state.ids
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return true }
                    state.sleepers.append(
                        Sleeper(id: id, moment: moment, exchange: exchange, continuation: continuation)
                    )
                    if let exchange { state.awaited.remove(exchange) }
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                news.signal()
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
