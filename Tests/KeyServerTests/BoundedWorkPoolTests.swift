import Foundation
import Synchronization
import Testing

@testable import KeyServer

@Suite("The bounded work pool", .timeLimit(.minutes(10)))
struct BoundedWorkPoolTests {
    @Test("Work returns its value")
    func value() async throws {
        let pool = BoundedWorkPool(threads: 2, capacity: 100)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 { group.addTask { try await pool.run { number } } }
            let sum = try await group.reduce(0, +)
            #expect(sum == 4_950)
        }
    }

    @Test("Work has its own threads: it can occupy all of them without blocking Swift's tasks")
    func ownThreads() async throws {
        let pool = BoundedWorkPool(threads: 32, capacity: 0)
        let gate = Gate()
        // Returns when 32 work items occupy a thread each, more than Swift has on a small machine.
        let accepted = try await gate.occupy(pool, jobs: 32)
        #expect(pool.waiting == 0)
        gate.open()
        for task in accepted { #expect(try await task.value) }
    }

    @Test("At most one work item runs per thread")
    func concurrency() async throws {
        let pool = BoundedWorkPool(threads: 3, capacity: 200)
        let gauge = Gauge()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await pool.run {
                        gauge.enter()
                        usleep(200)
                        gauge.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect((1...3).contains(gauge.most))
    }

    @Test("Work that does not fit in the queue is refused immediately, and freed capacity is used")
    func overload() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 2)
        let gate = Gate()
        let accepted = try await gate.occupy(pool, jobs: 3)
        #expect(pool.waiting == 2)
        await #expect(throws: WorkPoolError.overloaded) { try await pool.run {} }
        gate.open()
        for task in accepted { #expect(try await task.value) }
        #expect(try await pool.run { 7 } == 7)
    }

    @Test("A pool without a queue runs one work item per thread")
    func noQueue() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 0)
        for number in 0..<1_000 { #expect(try await pool.run { number } == number) }
        let gate = Gate()
        let accepted = try await gate.occupy(pool, jobs: 1)
        await #expect(throws: WorkPoolError.overloaded) { try await pool.run {} }
        gate.open()
        for task in accepted { #expect(try await task.value) }
    }

    @Test("Shared work includes the following jobs, up to its width, and each caller gets its own outputs")
    func shared() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 100)
        let calls = Calls()
        let doubling = SharedWork<Int, Int>(width: { 8 }) { calls.take($0) }
        let other = SharedWork<Int, Int>(width: { 8 }) { calls.take($0) }
        let gate = Gate()
        let accepted = try await gate.occupy(pool, jobs: 1)
        // One after the other, to determine their order in the queue.
        var answers: [Task<[Int], any Error>] = []
        for (inputs, work) in [
            ([1, 2, 3, 4], doubling), ([5, 6], doubling), ([7, 8, 9], doubling), ([10], doubling), ([], doubling),
            ([11], other),
            ([12], doubling),
        ] {
            let before = pool.unfinished
            answers.append(Task { try await pool.run(inputs, by: work) })
            try await eventually("\(inputs) are accepted") { pool.unfinished != before }
        }
        gate.open()
        for task in accepted { #expect(try await task.value) }
        var outputs: [[Int]] = []
        for answer in answers { outputs.append(try await answer.value) }
        #expect(outputs == [[2, 4, 6, 8], [10, 12], [14, 16, 18], [20], [], [22], [24]])
        #expect(calls.all == [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10], [11], [12]])
        #expect(pool.unfinished == 0)
        #expect(try await pool.run { 7 } == 7)
    }

    @Test("Work with a width of one is not shared, and work with more inputs runs too")
    func unshared() async throws {
        let pool = BoundedWorkPool(threads: 2, capacity: 1_000)
        let calls = Calls()
        let work = SharedWork<Int, Int>(width: { 1 }) { calls.take($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let doubled = try await pool.run([number, 1], by: work)
                    #expect(doubled == [2 * number, 2])
                }
            }
            try await group.waitForAll()
        }
        #expect(calls.all.count == 100)
    }

    @Test("Many threads perform shared work without losing any")
    func sharedByMany() async throws {
        let pool = BoundedWorkPool(threads: 4, capacity: 100_000)
        let work = SharedWork<Int, Int>(width: { 8 }) { $0.map { 2 * $0 } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2_000 {
                group.addTask {
                    let doubled = try await pool.run([number], by: work)
                    #expect(doubled == [2 * number])
                }
                guard number % 10 == 0 else { continue }
                group.addTask {
                    let same = try await pool.run { number }
                    #expect(same == number)
                }
            }
            try await group.waitForAll()
        }
        #expect(pool.unfinished == 0)
        #expect(pool.waiting == 0)
    }

    @Test("Shared work is refused by the number of its inputs, and when the pool is stopped")
    func sharedRefused() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 4)
        let work = SharedWork<Int, Int>(width: { 8 }) { $0 }
        let gate = Gate()
        let accepted = try await gate.occupy(pool, jobs: 1)
        let waiting = Task { try await pool.run([1, 2, 3, 4], by: work) }
        try await eventually("four inputs wait") { pool.waiting == 4 }
        await #expect(throws: WorkPoolError.overloaded) { try await pool.run([5], by: work) }
        pool.stop()
        await #expect(throws: WorkPoolError.stopped) { try await waiting.value }
        await #expect(throws: WorkPoolError.stopped) { try await pool.run([5], by: work) }
        gate.open()
        for task in accepted { #expect(try await task.value) }
    }

    @Test("Stopping finishes running work, and refuses waiting and new work")
    func stop() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 2)
        let gate = Gate()
        let accepted = try await gate.occupy(pool, jobs: 3)
        pool.stop()
        pool.stop()
        await #expect(throws: WorkPoolError.stopped) { try await pool.run {} }
        gate.open()
        var finished = 0
        for task in accepted {
            do { finished += try await task.value ? 1 : 0 } catch { #expect(error as? WorkPoolError == .stopped) }
        }
        #expect(finished == 1)
    }
}

/// Records the inputs of shared work.
private final class Calls: Sendable {
    private let taken = Mutex<[[Int]]>([])

    var all: [[Int]] { taken.withLock { $0 } }

    /// Doubles the inputs.
    func take(_ inputs: [Int]) -> [Int] {
        taken.withLock { $0.append(inputs) }
        return inputs.map { 2 * $0 }
    }
}
