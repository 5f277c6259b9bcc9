/// The loader's time: how long it has been since one fixed moment.
///
/// It stands before `Clock` because instants of different clocks cannot be stored together; any clock becomes one by
/// ``init(_:)``.
public struct LoaderClock: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Counts from this moment by a clock. It should go on while the device sleeps, as `ContinuousClock` does: leases end
    /// then too.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// How long it has been.
    public var now: Duration { elapsed() }

    /// Waits until a moment.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until moment: Duration) async throws { try await wait(moment) }
}
