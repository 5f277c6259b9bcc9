/// How long something has taken so far, by a clock that never goes back: the time of day can be set meanwhile.
struct Stopwatch: Sendable {
    private let clock: @Sendable () -> Int64
    private let start: Int64

    /// Starts it.
    ///
    /// - Parameter clock: the time in nanoseconds, since some instant.
    init(_ clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds) {
        self.clock = clock
        start = clock()
    }

    /// The time since the start.
    var elapsed: Duration { .nanoseconds(clock() - start) }

    /// The same in whole microseconds, for records.
    var microseconds: Int64 { (clock() - start) / 1_000 }
}
