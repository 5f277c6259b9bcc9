import Dispatch
import Foundation
import Synchronization

/// The reason why a ``BoundedWorkPool`` refused a work item.
package enum WorkPoolError: Error, Sendable, Equatable {
    /// The queue is full.
    case overloaded
    /// The pool was stopped.
    case stopped
}

/// Work that is cheaper for several inputs at once, including inputs from different callers.
package final class SharedWork<Input: Sendable, Output: Sendable>: Sendable {
    /// Returns the preferred number of inputs per batch; called for each batch.
    let width: @Sendable () -> Int
    /// Returns an output for each input, in the same order.
    let work: @Sendable ([Input]) -> [Output]

    /// Creates work for ``BoundedWorkPool/run(_:by:)``.
    package init(width: @escaping @Sendable () -> Int, _ work: @escaping @Sendable ([Input]) -> [Output]) {
        self.width = width
        self.work = work
    }
}

/// A fixed number of threads for CPU-bound work, with a bounded queue.
///
/// RSA must run neither on an event loop, where it would delay every other connection, nor on Swift's cooperative
/// threads, where it would delay every other task. A burst of requests waits in the queue. Requests that do not fit in
/// the queue are refused immediately, because otherwise all requests would be late.
package final class BoundedWorkPool: Sendable {
    private struct Job {
        /// The number of work items that the job counts as.
        let weight: Int
        /// Performs the work, together with that of other jobs if it is shared, and returns a closure that notifies the
        /// callers.
        let run: @Sendable (_ with: [Job]) -> @Sendable () -> Void
        let refuse: @Sendable () -> Void
        var shared: Shared?
    }

    /// A job that can be performed together with other jobs of the same shared work.
    private struct Shared {
        let work: ObjectIdentifier
        let width: @Sendable () -> Int
        /// The inputs, one for each work item that the job counts as.
        let inputs: [any Sendable]
        /// Accepts the outputs, and returns a closure that notifies the caller.
        let answer: @Sendable (ArraySlice<any Sendable>) -> @Sendable () -> Void
    }

    /// The state that the threads share. Threads reference this object instead of the pool, so that the pool can be
    /// deallocated while they wait.
    private final class Queue: Sendable {
        struct State {
            var jobs: [Job] = []
            /// The index of the first waiting job in `jobs`. Removing the first element of an array would move all
            /// others.
            var first = 0
            /// The weight of the accepted jobs that have not finished.
            var unfinished = 0
            var isStopped = false

            /// The next job.
            var front: Job? { first < jobs.count ? jobs[first] : nil }

            mutating func pop() -> Job? {
                guard let job = front else { return nil }
                first += 1
                if first > jobs.count / 2 {
                    jobs.removeFirst(first)
                    first = 0
                }
                return job
            }

            /// The weight of the waiting jobs.
            var waiting: Int { jobs[first...].reduce(0) { $0 + $1.weight } }
        }

        let state = Mutex(State())
        /// Counts the waiting jobs, plus one for each thread after the pool is stopped.
        let available = DispatchSemaphore(value: 0)

        /// Runs jobs until the pool is stopped.
        func work() {
            while let jobs = next() {
                guard let first = jobs.first else { continue }
                let answer = first.run(jobs)
                // Free the capacity before notifying the callers, because a notified caller may send the next job
                // immediately.
                state.withLock { state in state.unfinished -= jobs.reduce(0) { $0 + $1.weight } }
                answer()
            }
        }

        /// Waits for the next job, and returns it with the following jobs that can be performed together with it.
        /// Returns an empty array if another thread has taken the job, and nil if the pool is stopped.
        private func next() -> [Job]? {
            available.wait()
            return state.withLock { state in
                guard let first = state.pop() else { return state.isStopped ? nil : [] }
                var jobs = [first]
                guard let shared = first.shared else { return jobs }
                var room = shared.width() - first.weight
                while let next = state.front, next.shared?.work == shared.work, next.weight <= room,
                    let job = state.pop()
                {
                    room -= job.weight
                    jobs.append(job)
                    // Decrement the semaphore for this job too. If another thread already has, that thread finds no
                    // job.
                    _ = available.wait(timeout: .now())
                }
                return jobs
            }
        }
    }

    private let queue = Queue()
    /// The number of threads.
    let threads: Int
    private let capacity: Int

    /// Creates a pool and starts its threads.
    ///
    /// - Parameters:
    ///   - threads: The number of threads; at least 1, ideally the number of cores.
    ///   - capacity: The number of work items that may wait in addition.
    ///   - name: The name of the threads, at most 15 bytes, for `top -H` and other measuring tools.
    ///   - niceness: The niceness of the threads, 0 to 19.
    package init(threads: Int, capacity: Int, name: String = "keyway-open", niceness: Int32 = 0) {
        self.threads = max(threads, 1)
        self.capacity = max(capacity, 0)
        for _ in 0..<self.threads {
            let thread = Thread { [queue] in
                // On Linux a priority applies to one thread. Failure to lower it is not an error.
                if niceness > 0 { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
                queue.work()
            }
            thread.start()
            // Foundation sets the name only if the thread is running.
            thread.name = name
        }
    }

    deinit { stop() }

    /// The number of waiting work items.
    package var waiting: Int { queue.state.withLock { $0.waiting } }

    /// The maximum number of work items that wait or run.
    package var room: Int { threads + capacity }

    /// The number of work items that wait or run.
    package var unfinished: Int { queue.state.withLock { $0.unfinished } }

    /// Runs `work` on one of the threads. Accepted work runs even if the task is cancelled in the meantime.
    ///
    /// - Parameter weight: The number of work items that it counts as. It is accepted if there is capacity for one, so
    ///   that work heavier than the capacity is not always refused.
    /// - Throws: ``WorkPoolError``. Errors of the work itself must be part of its value.
    package func run<Value: Sendable>(
        weight: Int = 1,
        _ work: @escaping @Sendable () -> Value
    ) async throws(WorkPoolError) -> Value {
        let result = await withCheckedContinuation {
            (answer: CheckedContinuation<Result<Value, WorkPoolError>, Never>) in
            let job = Job(
                weight: max(weight, 1),
                run: { _ in
                    let value = work()
                    return { answer.resume(returning: .success(value)) }
                },
                refuse: { answer.resume(returning: .failure(.stopped)) }
            )
            do throws(WorkPoolError) { try add(job) } catch { answer.resume(returning: .failure(error)) }
        }
        return try result.get()
    }

    /// Runs shared work on one of the threads, together with inputs from other callers. It counts as the number of its
    /// inputs, at least one.
    ///
    /// - Returns: An output for each input, in the same order.
    /// - Throws: ``WorkPoolError``.
    package func run<Input: Sendable, Output: Sendable>(
        _ inputs: [Input],
        by shared: SharedWork<Input, Output>
    ) async throws(WorkPoolError) -> [Output] {
        let result = await withCheckedContinuation {
            (answer: CheckedContinuation<Result<[Output], WorkPoolError>, Never>) in
            let job = Job(
                weight: max(inputs.count, 1),
                run: { jobs in
                    // All jobs belong to this shared work, so the casts succeed.
                    let parts = jobs.compactMap(\.shared)
                    let outputs = shared.work(parts.flatMap { $0.inputs.compactMap { $0 as? Input } })
                    var rest = (outputs as [any Sendable])[...]
                    let answers = parts.map { part in
                        defer { rest = rest.dropFirst(part.inputs.count) }
                        return part.answer(rest.prefix(part.inputs.count))
                    }
                    return { for answer in answers { answer() } }
                },
                refuse: { answer.resume(returning: .failure(.stopped)) },
                shared: Shared(
                    work: ObjectIdentifier(shared),
                    width: shared.width,
                    inputs: inputs,
                    answer: { outputs in
                        let own = outputs.compactMap { $0 as? Output }
                        return { answer.resume(returning: .success(own)) }
                    }
                )
            )
            do throws(WorkPoolError) { try add(job) } catch { answer.resume(returning: .failure(error)) }
        }
        return try result.get()
    }

    /// Refuses waiting and new work. Running work is finished, and then the threads exit.
    package func stop() {
        let refused = queue.state.withLock { state -> [Job]? in
            guard !state.isStopped else { return nil }
            state.isStopped = true
            defer {
                state.jobs = []
                state.first = 0
            }
            return Array(state.jobs[state.first...])
        }
        guard let refused else { return }
        for _ in 0..<threads { queue.available.signal() }
        for job in refused { job.refuse() }
    }

    private func add(_ job: Job) throws(WorkPoolError) {
        try queue.state.withLock { state throws(WorkPoolError) in
            guard !state.isStopped else { throw .stopped }
            guard state.unfinished < room else { throw .overloaded }
            state.unfinished += job.weight
            state.jobs.append(job)
            // Signal inside the lock, because a thread that takes the job also decrements the semaphore.
            queue.available.signal()
        }
    }
}
