import HLSPlaylist

/// The time of a watch, and the date.
///
/// The instants of an `any Clock<Duration>` do not have a type that can be stored; the durations since a start do.
struct WatchTime: Sendable {
    /// Returns the current date.
    let date: @Sendable () -> PlaylistDate
    private let elapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Starts to measure now.
    init(_ clock: some Clock<Duration>, date: @escaping @Sendable () -> PlaylistDate) {
        let start = clock.now
        self.date = date
        elapsed = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// The time since the start.
    var now: Duration { elapsed() }

    /// Waits until a time.
    ///
    /// - Throws: `CancellationError`.
    func sleep(until moment: Duration) async throws { try await wait(moment) }
}
