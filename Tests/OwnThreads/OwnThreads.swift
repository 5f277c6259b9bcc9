import Foundation
public import Testing

/// A trait that runs the tests of a suite on threads of their own, because they wait for other processes or compute for
/// seconds. Swift's own threads are few: if all were occupied, the tests of other suites would miss their deadlines.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    private static let executor = ThreadExecutor()

    /// Applies the trait to each test of a suite.
    public var isRecursive: Bool { true }

    /// Runs a test on threads of its own.
    public func provideScope(
        for _: Test,
        testCase _: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Self.executor) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// Runs the tests of a suite on threads of their own.
    public static var ownThreads: Self { OwnThreads() }
}

/// An executor whose jobs may wait.
private final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
