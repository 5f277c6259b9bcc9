import VirtualDevice

/// A clock with the simulated time of a ``SimulatedTime``.
@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
package struct SimulatedClock: Clock {
    /// An instant: the simulated time that has passed since the start.
    package struct Instant: InstantProtocol {
        var time: Duration
        package func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        package func duration(to other: Instant) -> Duration { other.time - time }
        package static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    private let time: SimulatedTime
    private let wakes: Bool

    /// Creates a clock.
    ///
    /// - Parameter wakes: whether sleeping tasks are resumed. The timers of a session are not resumed, because they run
    ///   in a separate task that does not inherit the executor; call `checkDeadlines()` instead.
    package init(time: SimulatedTime, wakes: Bool = true) { (self.time, self.wakes) = (time, wakes) }

    /// The current instant.
    package var now: Instant { Instant(time: time.now) }
    /// The resolution of the clock, which is zero.
    package var minimumResolution: Duration { .zero }

    /// Suspends the task until an instant.
    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        guard !wakes else { return try await time.sleep(until: deadline.time) }
        let (forever, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in forever {}
        continuation.finish()
        throw CancellationError()
    }
}

/// The simulated time in seconds since 1970, for a device and for a server in a test.
@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
package struct SimulatedDeviceClock: DeviceClock {
    /// The default start of the simulated time, in seconds since 1970.
    package static let start: Int64 = 1_800_000_000

    private let time: SimulatedTime
    private let start: Int64

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - start: the start of the simulated time, in seconds since 1970.
    ///   - skew: the number of seconds by which the clock is ahead.
    package init(time: SimulatedTime, start: Int64 = SimulatedDeviceClock.start, skew: Int64 = 0) {
        (self.time, self.start) = (time, start + skew)
    }

    /// The time in seconds since 1970.
    package var now: Int64 { start + time.now.components.seconds }
    /// The time in milliseconds since 1970.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = time.now.components
        return (start + seconds) * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
