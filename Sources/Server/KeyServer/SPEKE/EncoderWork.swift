import Foundation
import Synchronization

/// The threads that read and write documents of encoders. Such a document may have a megabyte and take many times as long as
/// a license, so that it runs neither on an event loop, nor on Swift's threads, nor on those that open SPCs; and with a
/// priority below all of them.
package final class EncoderWork: Sendable {
    private let pool: BoundedWorkPool
    private let capacity: Int
    private let admitted = Mutex(0)
    private let turns = Mutex(Turns())

    /// The writes to the store: whether one is under way, and those that wait.
    private struct Turns {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// A thread for every four cores, and sixteen requests for each thread.
    package convenience init() {
        let threads = max(ProcessInfo.processInfo.activeProcessorCount / 4, 1)
        self.init(threads: threads, capacity: threads * 16)
    }

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - threads: how many documents are read or written at once.
    ///   - capacity: how many requests may be under way, at least one.
    init(threads: Int, capacity: Int) {
        self.capacity = max(capacity, 1)
        // A request has one piece of work at a time, so that what is admitted always fits.
        pool = BoundedWorkPool(threads: threads, capacity: self.capacity, name: "keyway-encoder", niceness: 10)
    }

    /// How many requests are under way.
    var underWay: Int { admitted.withLock { $0 } }

    /// Refuses a request for which there would be no room, before its body is read. Room is taken only once the body is there:
    /// who sends it slowly keeps nobody waiting.
    ///
    /// - Throws: ``WorkPoolError/overloaded``.
    func requireRoom() throws(WorkPoolError) {
        guard underWay < capacity else { throw .overloaded }
    }

    /// Answers a request if there is room for it.
    ///
    /// - Throws: ``WorkPoolError/overloaded``, and what `answer` throws.
    func admit<Value: Sendable>(_ answer: () async throws -> Value) async throws -> Value {
        try admitted.withLock { admitted throws(WorkPoolError) in
            guard admitted < capacity else { throw .overloaded }
            admitted += 1
        }
        defer { admitted.withLock { $0 -= 1 } }
        return try await answer()
    }

    /// Does a piece of an admitted request's work on one of the threads.
    ///
    /// - Throws: what `work` throws, and ``WorkPoolError``.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws(ProblemDocument) -> Value) async throws -> Value {
        try await pool.run { Result { () throws(ProblemDocument) in try work() } }.get()
    }

    /// Writes to the store for an admitted request, after the requests that came before and never beside another. Then
    /// there is a pause of twice the time that the write took: what licenses write waits for one such write at most, and has
    /// two thirds of the store's time to itself.
    ///
    /// - Throws: what `write` throws.
    func inTurn<Value: Sendable>(_ write: () async throws -> Value) async throws -> Value {
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
