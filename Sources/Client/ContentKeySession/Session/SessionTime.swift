/// The time since a session began, by whatever clock it was given.
struct SessionTime: Sendable {
    /// The time since the beginning.
    let now: @Sendable () -> Duration
    /// Sleeps until this moment. Throws when the task is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void

    init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
