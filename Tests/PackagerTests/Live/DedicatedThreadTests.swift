import Foundation
import Testing

@testable import Packager

@Suite("Dedicated thread")
struct DedicatedThreadTests {
    private actor Other {
        func answer() -> Int { 42 }
    }

    private func thread() -> UInt { UInt(pthread_self()) }

    private func work(_ other: Other) async -> Set<UInt> {
        var threads: Set = [thread()]
        for _ in 0..<100 {
            #expect(await other.answer() == 42)
            threads.insert(thread())
            await Task.yield()
            threads.insert(thread())
        }
        return threads
    }

    @Test("runs all of the work, also after each suspension")
    func stays() async throws {
        let other = Other()
        async let first = DedicatedThread.run("first") { await work(other) }
        async let second = DedicatedThread.run("second") { await work(other) }
        let (one, two) = try await (first, second)
        #expect(one.count == 1 && two.count == 1)
        #expect(one.isDisjoint(with: two))
    }

    @Test("rethrows errors")
    func errors() async throws {
        await #expect(throws: CancellationError.self) {
            try await DedicatedThread.run("short") { throw CancellationError() }
        }
    }
}
