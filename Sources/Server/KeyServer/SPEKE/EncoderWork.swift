import Foundation
import Synchronization

/// The threads that parse and write documents of encoders. Such a document may have a megabyte and take many times as
/// long as a license. It is therefore processed neither on an event loop, nor on Swift's cooperative threads, nor on
/// the threads that decrypt SPCs, and at a lower priority.
package final class EncoderWork: Sendable {
    private let pool: BoundedWorkPool
    private let capacity: Int
    private let admitted = Mutex(0)
    private let turns = Mutex(Turns())

    /// The queue of writes to the store.
    private struct Turns {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Creates one thread for every four cores, with a limit of 16 requests per thread.
    package convenience init() {
        let threads = max(ProcessInfo.processInfo.activeProcessorCount / 4, 1)
        self.init(threads: threads, capacity: threads * 16)
    }

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - threads: The number of threads, which process one document each.
    ///   - capacity: The maximum number of concurrent requests, at least one.
    init(threads: Int, capacity: Int) {
        self.capacity = max(capacity, 1)
        // A request has one work item at a time, so the work of admitted requests always fits in the queue.
        pool = BoundedWorkPool(threads: threads, capacity: self.capacity, name: "keyway-encoder", niceness: 10)
    }

    /// The number of admitted requests.
    var admittedCount: Int { admitted.withLock { $0 } }

    /// Refuses a request if the capacity is exhausted, before its body is read. The capacity is only taken after the
    /// body has arrived, so that slow clients do not block others.
    ///
    /// - Throws: ``WorkPoolError/overloaded``.
    func requireCapacity() throws(WorkPoolError) {
        guard admittedCount < capacity else { throw .overloaded }
    }

    /// Processes a request if there is capacity.
    ///
    /// - Throws: ``WorkPoolError/overloaded``, and the errors of `answer`.
    func admit<Value: Sendable>(_ answer: () async throws -> Value) async throws -> Value {
        try admitted.withLock { admitted throws(WorkPoolError) in
            guard admitted < capacity else { throw .overloaded }
            admitted += 1
        }
        defer { admitted.withLock { $0 -= 1 } }
        return try await answer()
    }

    /// Performs work of an admitted request on one of the threads.
    ///
    /// - Throws: The errors of `work`, and ``WorkPoolError``.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws(ProblemDocument) -> Value) async throws -> Value {
        try await pool.run { Result { () throws(ProblemDocument) in try work() } }.get()
    }

    /// Writes to the store for an admitted request. Writes are serialized in the order of their arrival, with a pause
    /// after each that lasts twice as long as the write. Licenses therefore wait for at most one such write, and have
    /// two thirds of the store's time to themselves.
    ///
    /// - Throws: The errors of `write`.
    func serialized<Value: Sendable>(_ write: () async throws -> Value) async throws -> Value {
        await withCheckedContinuation { turn in
            let isFree = turns.withLock { turns in
                defer { turns.isTaken = true }
                if turns.isTaken { turns.waiting.append(turn) }
                return !turns.isTaken
            }
            if isFree { turn.resume() }
        }
        let begin = ContinuousClock.now
        defer {
            let pause = (ContinuousClock.now - begin) * 2
            Task {
                try? await Task.sleep(for: pause)
                self.passTurn()
            }
        }
        return try await write()
    }

    private func passTurn() {
        let next = turns.withLock { turns in
            let next = turns.waiting.isEmpty ? nil : turns.waiting.removeFirst()
            turns.isTaken = next != nil
            return next
        }
        next?.resume()
    }
}
