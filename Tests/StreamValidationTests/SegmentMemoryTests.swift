import Testing

@testable import StreamValidation

@Suite("The memory for segments", .timeLimit(.minutes(10)))
struct SegmentMemoryTests {
    /// Records what happens.
    private actor Log {
        private(set) var entries: [String] = []
        func add(_ entry: String) { entries.append(entry) }
    }

    @Test("What fits is taken at once, and a larger number is the limit")
    func taking() async {
        let memory = SegmentMemory(limit: 10)
        #expect(await memory.take(4) == 4)
        #expect(await memory.take(6) == 6)
        await memory.giveBack(10)
        #expect(await memory.take(1_000_000) == 10)
        await memory.giveBack(10)
        #expect(await memory.take(-1) == 0)
    }

    @Test("What does not fit waits, and smaller numbers after it do not overtake it")
    func waiting() async {
        let (memory, log) = (SegmentMemory(limit: 10), Log())
        _ = await memory.take(8)
        let large = Task {
            _ = await memory.take(5)
            await log.add("large")
            await memory.giveBack(5)
        }
        while await memory.waitingCount < 1 { await Task.yield() }
        let small = Task {
            _ = await memory.take(2)
            await log.add("small")
            await memory.giveBack(2)
        }
        // Bounded, because a number that overtakes never waits.
        for _ in 0..<100_000 where await memory.waitingCount < 2 { await Task.yield() }
        #expect(await log.entries.isEmpty)
        await memory.giveBack(8)
        await large.value
        await small.value
        #expect(await Set(log.entries) == ["large", "small"])
        #expect(await memory.take(10) == 10)
    }

    @Test("No more segments are loaded after the limit of bytes, and each segment is counted")
    func tally() {
        let tally = ProgressTally(byteLimit: 100, report: nil)
        tally.plan(3, seconds: 18)
        tally.add(seconds: 6, byteCount: 99)
        #expect(!tally.isAtLimit)
        tally.add(seconds: 6, byteCount: 1)
        #expect(tally.isAtLimit)
    }
}
