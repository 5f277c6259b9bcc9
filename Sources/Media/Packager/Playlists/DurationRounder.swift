/// Rounds the durations of segments to microseconds without accumulating errors: the end of each segment is rounded,
/// not its duration.
struct DurationRounder {
    private var time = 0.0
    private var microseconds: Int64 = 0

    /// Returns the rounded duration of a segment, whose exact duration is in seconds.
    mutating func advance(by seconds: Double) -> Double {
        time += seconds
        let end = Int64(exactly: (time * 1e6).rounded()) ?? microseconds
        defer { microseconds = end }
        return Double(end - microseconds) / 1e6
    }
}
