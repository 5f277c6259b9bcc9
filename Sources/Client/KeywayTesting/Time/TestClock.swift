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
    /// The start of a clock that follows the system; nil for a clock that a test moves.
    private let systemStart: ContinuousClock.Instant?
    /// The ``TestExecutor``; nil until it is used, since older systems have no task executors.
    private let executor = Lock<(any Sendable)?>(nil)

    /// Creates a clock that moves only when a test moves it.
    ///
    /// - Parameter start: The start of the clock in seconds since 1970, by default in January 2027.
    public convenience init(start: Int64 = 1_800_000_000) { self.init(start: start, systemStart: nil) }

    private init(start: Int64, systemStart: ContinuousClock.Instant?) {
        (self.start, self.systemStart) = (start, systemStart)
    }

    /// Returns a clock that moves with the system's clock, for UI tests and previews: an app in a simulator cannot be
    /// told when time passes.
    public static func system() -> TestClock {
        TestClock(start: SystemDeviceClock().now, systemStart: .now)
    }

    /// The current instant.
    public var now: Instant { Instant(offset: elapsed) }
    /// The time since the start of the clock.
    public var elapsed: Duration { systemStart.map { $0.duration(to: .now) } ?? time.now }
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
        if let systemStart {
            try await ContinuousClock().sleep(until: systemStart.advanced(by: deadline.offset), tolerance: tolerance)
        } else {
            try await time.sleep(until: deadline.offset)
        }
    }

    /// Moves the clock forward. Everything that is due until then has happened when this returns. A clock that follows
    /// the system cannot be moved; this waits.
    @available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
    public func advance(by duration: Duration) async {
        guard systemStart == nil else {
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
