import Foundation
import Testing

/// A trait that runs the tests of a suite on threads of their own, because they wait for other processes. Swift's own
/// threads are few: if they all waited, the tests of other suites would miss their deadlines.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    private static let executor = ThreadExecutor()

    var isRecursive: Bool { true }

    func provideScope(
        for _: Test,
        testCase _: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Self.executor) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// Runs the tests of a suite on threads of their own.
    static var ownThreads: Self { OwnThreads() }
}

/// An executor whose jobs may wait.
private final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
