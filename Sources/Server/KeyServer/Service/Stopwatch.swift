/// Measures elapsed time with a monotonic clock, because the time of day can change in the meantime.
struct Stopwatch: Sendable {
    private let clock: @Sendable () -> Int64
    private let start: Int64

    /// Starts the measurement.
    ///
    /// - Parameter clock: Returns the time of a monotonic clock, in nanoseconds.
    init(_ clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds) {
        self.clock = clock
        start = clock()
    }

    /// The time since the start.
    var elapsed: Duration { .nanoseconds(clock() - start) }

    /// The time since the start, in microseconds.
    var microseconds: Int64 { (clock() - start) / 1_000 }
}
