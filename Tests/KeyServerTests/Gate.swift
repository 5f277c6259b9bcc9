import Dispatch
import Synchronization

@testable import KeyServer

/// Counts concurrent entries.
final class Gauge: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var most: Int { state.withLock { $0.most } }

    func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }

    func leave() { state.withLock { $0.now -= 1 } }
}

/// Blocks the threads of a pool until it is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let jobs = Mutex(0)
    private let gauge = Gauge()

    /// Adds jobs to the pool that wait for the gate, and returns after all have been accepted and every thread runs
    /// one.
    func occupy(_ pool: BoundedWorkPool, jobs count: Int) async throws -> [Task<Bool, any Error>] {
        jobs.withLock { $0 = count }
        let tasks = (0..<count).map { _ in
            Task {
                try await pool.run {
                    self.gauge.enter()
                    self.semaphore.wait()
                    return true
                }
            }
        }
        do {
            try await eventually("every thread of the pool waits for the gate") {
                pool.unfinished >= count && gauge.most >= min(count, pool.threads)
            }
        } catch {
            open()
            throw error
        }
        return tasks
    }

    func open() { for _ in 0..<jobs.withLock({ $0 }) { semaphore.signal() } }
}
