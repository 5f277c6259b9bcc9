/// A clock that shows a ``JumpingTime``.
@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
package struct JumpingClock: Clock {
    /// A moment: how much time has passed.
    package struct Instant: InstantProtocol {
        var time: Duration
        package func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        package func duration(to other: Instant) -> Duration { other.time - time }
        package static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    private let time: JumpingTime
    private let wakes: Bool

    /// Makes a clock.
    ///
    /// - Parameter wakes: Whether sleepers are woken. A session's are not, since its timer runs in a task of its own, which
    ///   no executor follows: call `checkDeadlines()` instead.
    package init(time: JumpingTime, wakes: Bool = true) { (self.time, self.wakes) = (time, wakes) }

    /// The moment.
    package var now: Instant { Instant(time: time.now) }
    /// None.
    package var minimumResolution: Duration { .zero }

    /// Waits for a moment.
    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        guard !wakes else { return try await time.sleep(until: deadline.time) }
        let (forever, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in forever {}
        continuation.finish()
        throw CancellationError()
    }
}

/// The same time for a device, and for a server in a test, who count seconds since 1970.
@available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
package struct JumpingDeviceClock: DeviceClock {
    /// When time begins unless said otherwise.
    package static let start: Int64 = 1_800_000_000

    private let time: JumpingTime
    private let start: Int64

    /// Makes a clock.
    ///
    /// - Parameters:
    ///   - start: When time began, in seconds since 1970.
    ///   - skew: Seconds that it is ahead.
    package init(time: JumpingTime, start: Int64 = JumpingDeviceClock.start, skew: Int64 = 0) {
        (self.time, self.start) = (time, start + skew)
    }

    /// Seconds since 1970.
    package var now: Int64 { start + time.now.components.seconds }
    /// Milliseconds since 1970.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = time.now.components
        return (start + seconds) * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
