import Locking
public import VirtualDevice

/// A clock that moves only when a test moves it: one time for sessions, key loaders, servers and devices.
///
///     let server = TestKeyServer()
///     let client = server.makeClient()
///     try await client.key(for: "skd://movie")
///     await server.clock.advance(by: .seconds(3600))     // a lease is renewed on the way, without waiting
///
/// The time jumps from deadline to deadline, and each task that is due is resumed and runs until it waits again before
/// the next jump. The clock knows when a task waits if the task was started by ``run(_:)`` or by a ``TestKeyClient``,
/// and for jobs on the main actor. It does not know of tasks that are not their children, such as a `Task { … }` of the
/// app: time can pass while these work.
public final class TestClock: Clock {
    /// An instant: the time since the start of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the start of the clock.
        public let offset: Duration

        /// Returns the instant after a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the duration to another instant.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Returns whether the left instant is earlier.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    /// The start of the clock in seconds since 1970.
    public let start: Int64
    let time = TestTime()
    /// The clock that this one follows, in durations since the start; nil for a clock that a test moves.
    private let followed: Followed?
    /// The ``TestExecutor``; nil until it is used, since older systems have no task executors.
    private let executor = Lock<(any Sendable)?>(nil)

    /// Creates a clock that moves only when a test moves it.
    ///
    /// - Parameter start: The start of the clock in seconds since 1970, by default in January 2027.
    public convenience init(start: Int64 = 1_800_000_000) { self.init(start: start, followed: nil) }

    private init(start: Int64, followed: Followed?) { (self.start, self.followed) = (start, followed) }

    private struct Followed: Sendable {
        let elapsed: @Sendable () -> Duration
        let sleep: @Sendable (_ end: Duration, _ tolerance: Duration?) async throws -> Void
    }

    /// Returns a clock that moves with the system's clock, for UI tests and previews: an app in a simulator cannot be
    /// told when time passes.
    public static func system() -> TestClock { following(ContinuousClock(), from: SystemDeviceClock().now) }

    /// Returns a clock that moves with another clock, for tests that already have a clock of their own.
    ///
    /// - Parameters:
    ///   - clock: The clock to follow.
    ///   - start: The date at which that clock is now, in seconds since 1970.
    public static func following<Other: Clock>(
        _ clock: Other,
        from start: Int64 = 1_800_000_000
    ) -> TestClock where Other.Duration == Duration {
        let origin = clock.now
        return TestClock(
            start: start,
            followed: Followed(
                elapsed: { origin.duration(to: clock.now) },
                sleep: { try await clock.sleep(until: origin.advanced(by: $0), tolerance: $1) }
            )
        )
    }

    /// The current instant.
    public var now: Instant { Instant(offset: elapsed) }
    /// The time since the start of the clock.
    public var elapsed: Duration { followed?.elapsed() ?? time.now }
    /// The resolution of the clock, which is zero.
    public var minimumResolution: Duration { .zero }
    /// The date of devices and servers, in seconds since 1970.
    public var secondsSince1970: Int64 { start + elapsed.components.seconds }
    /// The date of this clock as the clock of a virtual device.
    public var deviceClock: any DeviceClock { TestDeviceClock(clock: self) }

    /// Suspends the task until an instant.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        if let followed {
            try await followed.sleep(deadline.offset, tolerance)
        } else {
            try await time.sleep(until: deadline.offset)
        }
    }

    /// Moves the clock forward. Everything that is due until then has happened when this returns. A clock that follows
    /// another one cannot be moved; this waits.
    @available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
    public func advance(by duration: Duration) async {
        guard followed == nil else {
            try? await sleep(until: now.advanced(by: duration), tolerance: nil)
            return
        }
        let end = time.now + duration
        // Returns early only if the task is cancelled.
        try? await run { [time] in try await time.sleep(until: end, isLast: true) }
    }

    /// Runs an operation, and moves the clock to the next deadline whenever the operation and all tasks of this clock
    /// wait. So retries, timeouts and slow responses take no time.
    ///
    ///     let film = try await clock.run { try await app.open(film) }     // retries after 2 seconds
    ///     #expect(clock.elapsed >= .seconds(2))
    ///
    /// - Returns: The result of the operation.
    @available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
    public func run<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let time = time
        // The time must not move before the operation has started.
        time.jobEnqueued()
        time.beginDriving()
        let task = startTask {
            // The time must not move after the operation has ended, so this ends with it, in the same job.
            defer { time.endDriving() }
            return try await operation()
        }
        time.jobFinished()
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Starts a task of this clock.
    @available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
    @discardableResult
    func startTask<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        let executor = self.executor.withLock { executor -> TestExecutor in
            let made = executor as? TestExecutor ?? TestExecutor(time)
            executor = made
            return made
        }
        return Task(executorPreference: executor) { try await operation() }
    }
}

/// The date of a ``TestClock``.
private struct TestDeviceClock: DeviceClock {
    let clock: TestClock
    var now: Int64 { clock.secondsSince1970 }
}
