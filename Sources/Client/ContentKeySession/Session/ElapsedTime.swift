/// The time elapsed since a fixed start, measured with any clock.
///
/// The instants of an `any Clock<Duration>` do not have a type that can be stored or compared, but the durations since
/// a start do. The clock must continue while the device sleeps, as `ContinuousClock` does, because leases expire then
/// too.
package struct ElapsedTime: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Starts to measure now.
    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// The elapsed time.
    package var now: Duration { elapsed() }

    /// Waits until a time.
    ///
    /// - Throws: `CancellationError`.
    package func sleep(until moment: Duration) async throws { try await wait(moment) }

    /// Waits for a duration.
    ///
    /// - Throws: `CancellationError`.
    package func sleep(for duration: Duration) async throws { try await wait(elapsed() + duration) }
}
