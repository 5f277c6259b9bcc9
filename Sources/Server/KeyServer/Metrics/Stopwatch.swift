import FoundationEssentials

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

/// The start of a request, or of a part of it.
struct StartTime: Sendable {
    /// The time, in milliseconds since 1970.
    let milliseconds: Int64
    /// A stopwatch that was started at the same time.
    let stopwatch: Stopwatch
}

/// Returns the time in milliseconds since 1970.
@Sendable
package func systemMilliseconds() -> Int64 {
    Int64(Date().timeIntervalSince1970 * 1000)
}
