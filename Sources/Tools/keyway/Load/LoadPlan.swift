import Foundation

/// When requests are sent, and for how long.
struct LoadPlan: Sendable {
    /// How requests follow each other.
    enum Pace: Sendable, Equatable {
        /// Each connection sends its next request when the last is answered: what the server can do at most.
        case closed
        /// So many requests a second on average, at moments that do not depend on the server: what its users see.
        case open(rate: Double)
    }

    var pace: Pace
    /// How many connections there are at most.
    var connections: Int
    /// How long is measured, in seconds.
    var duration: Double
    /// How long is not measured before that, in seconds.
    var warmUp: Double
    /// How long an answer may take, in seconds.
    var timeout: Double

    /// From the first request to the last, in seconds.
    var length: Double { warmUp + duration }

    /// The moments at which requests are due in open loop, in nanoseconds from the start: independent of each other, as
    /// viewers are, so that they bunch (a Poisson process). Sorted, and none for the closed loop.
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
