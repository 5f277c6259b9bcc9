import ContentKeySession
import VirtualDevice

/// The loader's clock: it jumps.
struct JumpingClock: Clock {
    struct Instant: InstantProtocol {
        var time: Duration
        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration { other.time - time }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    let time: JumpingTime
    /// Whether sleepers are woken. The session's are not, since its timer runs in a task of its own, which no executor
    /// follows: these tests call `checkDeadlines()`.
    var wakes = true
    var now: Instant { Instant(time: time.now) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        guard !wakes else { return try await time.sleep(until: deadline.time) }
        let (forever, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in forever {}
        continuation.finish()
        throw CancellationError()
    }
}

/// The same time for server and device, who count seconds since 1970.
struct JumpingDeviceClock: DeviceClock {
    static let start: Int64 = 1_800_000_000

    let time: JumpingTime
    /// Seconds that it is ahead.
    var skew: Int64 = 0
    var now: Int64 { Self.start + time.now.components.seconds + skew }
    var milliseconds: Int64 {
        let (seconds, attoseconds) = time.now.components
        return (Self.start + seconds) * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
