import Foundation

/// A task executor with a separate thread, for work that blocks in system calls, such as reading a pipe: on the
/// cooperative thread pool it would block other tasks.
///
/// The type is `@unchecked Sendable`, because the queue is only accessed while the condition's lock is held.
@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
final class DedicatedThread: TaskExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var isFinished = false

    /// Runs an operation on a new thread, which exits when the operation is finished.
    static func run<Result: Sendable>(
        _ name: String,
        _ operation: @Sendable () async throws -> Result
    ) async throws -> Result {
        let thread = DedicatedThread(name)
        defer { thread.end() }
        return try await withTaskExecutorPreference(thread) { try await operation() }
    }

    private init(_ name: String) {
        let thread = Thread { self.work() }
        thread.name = name
        thread.stackSize = 8 << 20
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    private func work() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob? {
        condition.withLock {
            while jobs.isEmpty, !isFinished { condition.wait() }
            return jobs.isEmpty ? nil : jobs.removeFirst()
        }
    }

    private func end() {
        condition.withLock {
            isFinished = true
            condition.signal()
        }
    }
}
