/// The clocks of a server. Tests replace them.
package struct ServerTime: Sendable {
    /// Returns the time of day, in milliseconds since 1970.
    package var milliseconds: @Sendable () -> Int64 = systemMilliseconds
    /// Returns the time of a monotonic clock, in nanoseconds.
    package var nanoseconds: @Sendable () -> Int64 = monotonicNanoseconds
    /// The clock with which services wait for their next round.
    package var clock: any Clock<Duration> = ContinuousClock()

    /// Creates the system's clocks.
    package init() {}

    /// The time of day, in seconds since 1970.
    var seconds: Int64 { milliseconds() / 1_000 }

    /// Returns the current time and starts a stopwatch.
    func start() -> StartTime { StartTime(milliseconds: milliseconds(), stopwatch: Stopwatch(nanoseconds)) }
}
