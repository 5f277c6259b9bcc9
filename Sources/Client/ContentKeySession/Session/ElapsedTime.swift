/// The time that has passed since one fixed moment, by any clock.
///
/// Instants of an `any Clock<Duration>` have no type that can be stored or compared. How long it has been since one of them
/// can. A clock should go on while the device sleeps, as `ContinuousClock` does: leases end then too.
package struct ElapsedTime: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Counts from this moment.
    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// How long it has been.
    package var now: Duration { elapsed() }

    /// Waits until a moment.
    ///
    /// - Throws: `CancellationError`.
    package func sleep(until moment: Duration) async throws { try await wait(moment) }

    /// Waits for a length of time.
    ///
    /// - Throws: `CancellationError`.
    package func sleep(for duration: Duration) async throws { try await wait(elapsed() + duration) }
}
