import Histogram

/// What came of the requests of one run.
struct LoadTally: Sendable {
    /// Latencies in microseconds. The longest that it tells apart is ten minutes.
    struct Latencies: Sendable {
        private var histogram = Histogram<UInt64>(
            highestTrackableValue: 600_000_000,
            numberOfSignificantValueDigits: .three
        )

        mutating func record(microseconds: UInt64) { histogram.record(min(max(microseconds, 1), 600_000_000)) }

        var count: UInt64 { histogram.totalCount }

        /// The latency that this share of the requests, in per cent, did not exceed; in milliseconds.
        func milliseconds(at percentile: Double) -> Double { Double(histogram.valueAtPercentile(percentile)) / 1000 }

        /// The longest, in milliseconds.
        var maximum: Double { Double(histogram.max) / 1000 }
    }

    /// Of licenses.
    var granted = Latencies()
    /// Of every other answer.
    var refused = Latencies()
    /// How often each outcome came.
    var outcomes: [LoadOutcome: Int] = [:]
    /// How many licenses arrived while the clock ran; a latency may end later.
    var grantedInTime = 0
    /// Between the end of the warm-up and the end of the run, in seconds.
    var seconds = 0.0
    /// How many requests were made ahead and not needed.
    var unused = 0
    /// Whether the requests were used up before the end.
    var ranOut = false
    /// Processor time of the server while the clock ran, in seconds.
    var serverSeconds: Double?
    /// Processor time of this process while the clock ran, in seconds.
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

    /// Licenses a second.
    var throughput: Double { seconds > 0 ? Double(grantedInTime) / seconds : 0 }

    /// Requests that came to their end, in any way.
    var total: Int { outcomes.values.reduce(0, +) }
}
