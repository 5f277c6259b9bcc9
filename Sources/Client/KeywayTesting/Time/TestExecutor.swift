import Dispatch

/// An executor that runs the tasks of a clock one after the other and counts their jobs, so that the clock knows when
/// all of them wait.
@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
final class TestExecutor: TaskExecutor {
    private let time: TestTime
    private let queue = DispatchQueue(label: "KeywayTesting")

    init(_ time: TestTime) { self.time = time }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        time.jobEnqueued()
        // The closure retains the executor while the job runs.
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.time.jobFinished()
        }
    }
}
