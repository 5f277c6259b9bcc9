import Foundation

/// The schedule of a load run.
struct LoadPlan: Sendable {
    /// The times at which requests are sent.
    enum Pace: Sendable, Equatable {
        /// Each connection sends its next request when the previous one is answered: measures the maximum throughput.
        case closed
        /// Requests are sent at this average rate per second, at times that do not depend on the server: measures the
        /// latency that users experience.
        case open(rate: Double)
    }

    var pace: Pace
    /// The maximum number of connections.
    var connections: Int
    /// The duration of the measurement, in seconds.
    var duration: Double
    /// The duration of the warm-up before it, in seconds.
    var warmUp: Double
    /// The timeout of a request, in seconds.
    var timeout: Double

    /// The time from the first request to the last, in seconds.
    var length: Double { warmUp + duration }

    /// Returns the times at which requests are due in open loop, in nanoseconds from the start, sorted; empty for the
    /// closed loop. The times are independent of each other, as with real viewers, and therefore irregular (a Poisson
    /// process).
    func arrivals(using random: inout some RandomNumberGenerator) -> [Int64] {
        guard case .open(let rate) = pace else { return [] }
        var moments: [Int64] = []
        moments.reserveCapacity(Int(rate * length * 1.1) + 10)
        var moment = 0.0
        while true {
            moment -= log(1 - Double.random(in: 0..<1, using: &random)) / rate
            guard moment < length else { return moments }
            moments.append(Int64(moment * 1e9))
        }
    }
}
