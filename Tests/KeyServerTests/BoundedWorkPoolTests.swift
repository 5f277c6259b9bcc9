import Foundation
import Testing

@testable import KeyServer

@Suite("The bounded work pool")
struct BoundedWorkPoolTests {
    @Test("Work hands back its value")
    func value() async throws {
        let pool = BoundedWorkPool(threads: 2, capacity: 100)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 { group.addTask { try await pool.run { number } } }
            let sum = try await group.reduce(0, +)
            #expect(sum == 4_950)
        }
    }

    @Test("Work has threads of its own: it may hold all of them while Swift's tasks go on")
    func ownThreads() async throws {
        let pool = BoundedWorkPool(threads: 32, capacity: 0)
        let gate = Gate()
        // Returns when 32 pieces of work hold a thread each, more than Swift has for a small machine.
        let accepted = await gate.occupy(pool, jobs: 32)
        #expect(pool.waiting == 0)
        gate.open()
        for task in accepted { #expect(try await task.value) }
    }

    @Test("No more runs at once than there are threads")
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

    @Test("What does not fit into the queue is refused at once, and room that was made is used")
    func overload() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 2)
        let gate = Gate()
        let accepted = await gate.occupy(pool, jobs: 3)
        #expect(pool.waiting == 2)
        await #expect(throws: WorkPoolError.overloaded) { try await pool.run {} }
        gate.open()
        for task in accepted { #expect(try await task.value) }
        #expect(try await pool.run { 7 } == 7)
    }

    @Test("A pool without a queue runs what its threads can take")
    func noQueue() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 0)
        for number in 0..<1_000 { #expect(try await pool.run { number } == number) }
        let gate = Gate()
        let accepted = await gate.occupy(pool, jobs: 1)
        await #expect(throws: WorkPoolError.overloaded) { try await pool.run {} }
        gate.open()
        for task in accepted { #expect(try await task.value) }
    }

    @Test("Stopping finishes what runs, refuses what waits and everything that comes")
    func stop() async throws {
        let pool = BoundedWorkPool(threads: 1, capacity: 2)
        let gate = Gate()
        let accepted = await gate.occupy(pool, jobs: 3)
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
