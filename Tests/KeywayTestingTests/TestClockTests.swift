import Synchronization
import Testing

@testable import KeywayTesting

@Suite("The clock of tests", .timeLimit(.minutes(10)))
struct TestClockTests {
    private final class Log: Sendable {
        private let entries = Mutex<[String]>([])
        func add(_ entry: String) { entries.withLock { $0.append(entry) } }
        var all: [String] { entries.withLock { $0 } }
    }

    @Test("Sleepers are resumed in the order of their deadlines, each before time moves on")
    func order() async throws {
        let clock = TestClock()
        let log = Log()
        try await clock.run {
            await withTaskGroup(of: Void.self) { group in
                for seconds in [3, 1, 2] as [Int64] {
                    group.addTask {
                        try? await clock.sleep(for: .seconds(seconds))
                        log.add("\(seconds) at \(clock.elapsed.components.seconds)")
                        // Work between two deadlines does not take time.
                        try? await clock.sleep(for: .milliseconds(500))
                        log.add("\(seconds) and a half at \(clock.elapsed.components.seconds)")
                    }
                }
            }
        }
        #expect(
            log.all == [
                "1 at 1", "1 and a half at 1", "2 at 2", "2 and a half at 2", "3 at 3", "3 and a half at 3",
            ]
        )
        #expect(clock.elapsed == .milliseconds(3500))
    }

    @Test("Time stands still while nothing moves it, and an advance ends exactly at its end")
    func advance() async throws {
        let clock = TestClock()
        let log = Log()
        let sleeper = clock.startTask {
            for number in 1...3 {
                try await clock.sleep(for: .seconds(10))
                log.add("\(number)")
            }
        }
        await clock.advance(by: .zero)
        #expect(clock.elapsed == .zero)
        await clock.advance(by: .seconds(9))
        #expect(log.all.isEmpty)
        await clock.advance(by: .seconds(1))
        #expect(log.all == ["1"])
        await clock.advance(by: .seconds(15))
        #expect(log.all == ["1", "2"])
        #expect(clock.elapsed == .seconds(25))
        #expect(clock.secondsSince1970 == clock.start + 25)
        await clock.advance(by: .seconds(100))
        try await sleeper.value
        #expect(clock.elapsed == .seconds(125))
    }

    @Test("Work on the main actor counts: time does not pass during it")
    func mainActor() async throws {
        let clock = TestClock()
        try await clock.run {
            async let timeout: Void = clock.sleep(for: .seconds(5))
            for _ in 1...100 { await onMainActor() }
            #expect(clock.elapsed == .zero)
            try await timeout
        }
        #expect(clock.elapsed == .seconds(5))
    }

    @MainActor private func onMainActor() { _ = (1...1000).reduce(0, +) }

    @Test("A cancelled sleep and a cancelled operation end at once")
    func cancellation() async throws {
        let clock = TestClock()
        let sleeper = clock.startTask { try await clock.sleep(for: .seconds(10)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await clock.run {
                        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
                        for await _ in never {}
                        continuation.finish()
                        throw CancellationError()
                    }
                }
                group.cancelAll()
                try await group.next()
            }
        }
        #expect(clock.elapsed == .zero)
    }

    @Test("A clock that follows the system moves by itself")
    func system() async throws {
        let clock = TestClock.system()
        let start = clock.elapsed
        try await clock.sleep(for: .milliseconds(2))
        #expect(clock.elapsed - start >= .milliseconds(2))
        await clock.advance(by: .milliseconds(2))
        #expect(clock.elapsed - start >= .milliseconds(4))
        #expect(clock.secondsSince1970 >= clock.start)
        // A server with this clock answers, and devices use its date.
        try await TestKeyServer(clock: clock).makeClient().play("skd://movie")
    }

    @Test("The result of an operation is returned, and its error thrown")
    func results() async throws {
        let clock = TestClock()
        #expect(try await clock.run { 7 } == 7)
        await #expect(throws: CancellationError.self) { try await clock.run { throw CancellationError() } }
    }
}
