import Dispatch
import Foundation
import Synchronization

/// Why a ``BoundedWorkPool`` did not take a piece of work.
package enum WorkPoolError: Error, Sendable, Equatable {
    /// As much waits as may wait.
    case overloaded
    /// The pool has been stopped.
    case stopped
}

/// Work that costs less when it is done for several inputs together, also for those of different callers.
package final class SharedWork<Input: Sendable, Output: Sendable>: Sendable {
    /// How many inputs are best done together; asked each time.
    let width: @Sendable () -> Int
    /// Gives an output for each input, in their order.
    let work: @Sendable ([Input]) -> [Output]

    /// Makes work for ``BoundedWorkPool/run(_:by:)``.
    package init(width: @escaping @Sendable () -> Int, _ work: @escaping @Sendable ([Input]) -> [Output]) {
        self.width = width
        self.work = work
    }
}

/// A fixed number of threads for work that keeps a core busy, with a bounded queue before them.
///
/// RSA must run neither on an event loop, where it would hold up every other connection, nor on Swift's own threads,
/// where it would hold up every other task. A burst waits in the queue; what does not fit there is refused at once
/// instead of being late for everybody.
package final class BoundedWorkPool: Sendable {
    private struct Job {
        /// As how many pieces of work it counts.
        let weight: Int
        /// Does the work, and hands back what tells the callers; with that of others, if it is shared.
        let run: @Sendable (_ with: [Job]) -> @Sendable () -> Void
        let refuse: @Sendable () -> Void
        var shared: Shared?
    }

    /// Work that can be done together with what is shared in the same way.
    private struct Shared {
        let work: ObjectIdentifier
        let width: @Sendable () -> Int
        /// One for each piece of work that the job counts as.
        let inputs: [any Sendable]
        /// Takes the outputs, and hands back what tells the caller.
        let answer: @Sendable (ArraySlice<any Sendable>) -> @Sendable () -> Void
    }

    /// What the threads share. They hold this and not the pool, so that the pool can go while they wait.
    private final class Queue: Sendable {
        struct State {
            var jobs: [Job] = []
            /// Where the queue begins in `jobs`: taking from the front of an array moves the whole rest.
            var first = 0
            /// The weight of the jobs that were taken and have not ended.
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

            /// What they weigh.
            var waiting: Int { jobs[first...].reduce(0) { $0 + $1.weight } }
        }

        let state = Mutex(State())
        /// Counts the jobs that wait, and one more for each thread once the pool is stopped.
        let available = DispatchSemaphore(value: 0)

        /// Runs jobs until the pool is stopped.
        func work() {
            while let jobs = next() {
                guard let first = jobs.first else { continue }
                let answer = first.run(jobs)
                // First the room, then the answer: whoever has it may come again at once.
                state.withLock { state in state.unfinished -= jobs.reduce(0) { $0 + $1.weight } }
                answer()
            }
        }

        /// The next job, with those right behind it that can be done together with it; waits for one. None when another
        /// thread has taken it along; nil when the pool is stopped.
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
                    // Its count too. Where another thread has that already, it finds nothing.
                    _ = available.wait(timeout: .now())
                }
                return jobs
            }
        }
    }

    private let queue = Queue()
    private let threads: Int
    private let capacity: Int

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - threads: How many pieces of work run at once; at least 1, best the number of cores.
    ///   - capacity: How many more may wait.
    ///   - name: What the threads are called, in at most 15 bytes: for `top -H`, and for what measures the server.
    ///   - niceness: By how much their priority is lower than that of the others, 0 to 19.
    package init(threads: Int, capacity: Int, name: String = "keyway-open", niceness: Int32 = 0) {
        self.threads = max(threads, 1)
        self.capacity = max(capacity, 0)
        for _ in 0..<self.threads {
            let thread = Thread { [queue] in
                // On Linux a priority is that of one thread. That it cannot be lowered is no reason not to work.
                if niceness > 0 { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
                queue.work()
            }
            thread.start()
            // Foundation passes on the name of a thread that runs only.
            thread.name = name
        }
    }

    deinit { stop() }

    /// How many pieces of work wait.
    package var waiting: Int { queue.state.withLock { $0.waiting } }

    /// How many pieces of work it takes at once.
    package var room: Int { threads + capacity }

    /// How many pieces of work wait or run.
    package var unfinished: Int { queue.state.withLock { $0.unfinished } }

    /// Runs `work` on one of the threads. Once it was taken it runs, even when the task is cancelled meanwhile.
    ///
    /// - Parameter weight: as how many pieces of work it counts. It is taken where there is room for one, so that what is heavier
    ///   than the queue is not refused for ever.
    /// - Throws: ``WorkPoolError``; what the work itself comes to belongs into its value.
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

    /// Runs shared work on one of the threads, together with what others want of it at the time. It counts as many pieces of
    /// work as there are inputs, at least one.
    ///
    /// - Returns: an output for each input, in their order.
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
                    // All are of this work, so that the inputs are its own.
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

    /// Refuses what waits and everything that comes; what runs is finished. The threads end.
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
            // No later: who takes the job along takes its count along.
            queue.available.signal()
        }
    }
}
