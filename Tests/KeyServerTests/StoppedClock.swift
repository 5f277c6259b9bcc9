import Synchronization

/// A clock that does not advance: a sleep ends when it is cancelled or when the test wakes it.
final class StoppedClock: Clock {
    typealias Instant = ContinuousClock.Instant

    private struct State {
        var lastID = 0
        var sleepers: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    let now = ContinuousClock.now
    // With the name of the module: `Duration` alone may be looked up as the associated type before it is known.
    let minimumResolution: Swift.Duration = .nanoseconds(1)
    /// An element for each sleep that has begun.
    let sleeps: AsyncStream<Void>
    private let onSleep: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    init() { (sleeps, onSleep) = AsyncStream.makeStream() }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        guard deadline > now else { return }
        let (stream, sleeper) = AsyncStream<Void>.makeStream()
        let id = state.withLock { state in
            state.lastID += 1
            state.sleepers[state.lastID] = sleeper
            return state.lastID
        }
        defer { state.withLock { _ = $0.sleepers.removeValue(forKey: id) } }
        onSleep.yield()
        for await _ in stream {}
        try Task.checkCancellation()
    }

    /// Waits until this number of sleeps has begun since the last call, or until ``finish()``.
    func waitForSleeps(_ count: Int) async {
        guard count > 0 else { return }
        var begun = 0
        for await _ in sleeps {
            begun += 1
            if begun == count { return }
        }
    }

    /// Ends the sleeps that have begun.
    func wake() {
        for sleeper in state.withLock({ $0.sleepers.values }) { sleeper.finish() }
    }

    /// Ends the waiting for sleeps.
    func finish() { onSleep.finish() }
}
