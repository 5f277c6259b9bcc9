import Histogram

/// The results of a load run.
struct LoadTally: Sendable {
    /// A histogram of latencies in microseconds, up to ten minutes.
    struct Latencies: Sendable {
        private var histogram = Histogram<UInt64>(
            highestTrackableValue: 600_000_000,
            numberOfSignificantValueDigits: .three
        )

        mutating func record(microseconds: UInt64) { histogram.record(min(max(microseconds, 1), 600_000_000)) }

        var count: UInt64 { histogram.totalCount }

        /// Returns the latency that this percentage of requests did not exceed, in milliseconds.
        func milliseconds(at percentile: Double) -> Double { Double(histogram.valueAtPercentile(percentile)) / 1000 }

        /// The maximum latency, in milliseconds.
        var maximum: Double { Double(histogram.max) / 1000 }
    }

    /// The latencies of licenses.
    var granted = Latencies()
    /// The latencies of all other responses.
    var refused = Latencies()
    /// The number of requests with each outcome.
    var outcomes: [LoadOutcome: Int] = [:]
    /// The number of licenses that arrived during the measurement; latencies may end later.
    var grantedInTime = 0
    /// The time from the end of the warm-up to the end of the run, in seconds.
    var seconds = 0.0
    /// The number of prepared requests that were not sent.
    var unused = 0
    /// True if the prepared requests were used up before the end.
    var ranOut = false
    /// The processor time of the server during the measurement, in seconds.
    var serverSeconds: Double?
    /// The processor time of this process during the measurement, in seconds.
    var ownSeconds = 0.0

    /// Counts a request.
    mutating func record(_ outcome: LoadOutcome, microseconds: UInt64, inTime: Bool) {
        outcomes[outcome, default: 0] += 1
        if outcome == .granted {
            granted.record(microseconds: microseconds)
            if inTime { grantedInTime += 1 }
        } else if outcome.status != 0 {
            refused.record(microseconds: microseconds)
        }
    }

    /// The number of licenses per second.
    var throughput: Double { seconds > 0 ? Double(grantedInTime) / seconds : 0 }

    /// The number of finished requests, with any outcome.
    var total: Int { outcomes.values.reduce(0, +) }
}
