/// The peak segment bit rate of a Media Playlist (RFC 8216bis, 4.1): the largest bit rate of any contiguous set of
/// segments whose total duration is between 0.5 Target Durations and 1.5 Target Durations plus half a second. The half
/// second allows for the rounding of Target Durations.
package struct PeakBitRate {
    /// The total duration in seconds before each segment.
    private var times = [0.0]
    /// The total number of bits before each segment.
    private var bits = [0.0]

    /// Creates a value without segments.
    package init() {}

    /// The total duration of all segments, in seconds.
    package var seconds: Double { times[times.count - 1] }

    /// The total number of bits of all segments.
    package var bitCount: Double { bits[bits.count - 1] }

    /// Appends the next segment, with its duration in seconds and its size in bytes.
    package mutating func append(duration: Double, byteCount: Double) {
        times.append(seconds + duration)
        bits.append(bitCount + byteCount * 8)
    }

    /// Returns the peak bit rate in bits per second; nil when no set of segments has a total duration in the required
    /// range.
    ///
    /// One pass finds the set of segments that exceeds a given rate the most. The rate of this set is the given rate of
    /// the next pass, until no set exceeds it. A few passes are enough for any number of segments; I-frame playlists
    /// may have a hundred thousand.
    ///
    /// - Parameter targetDuration: The Target Duration in seconds.
    package func rate(targetDuration: Double) -> Double? {
        // Sums of floating-point numbers are not exact.
        let slack = 1e-6
        let lengths = (targetDuration * 0.5 - slack)...(targetDuration * 1.5 + 0.5 + slack)
        var rate: Double?
        for _ in 0..<64 {
            guard let next = rateOfMost(above: rate ?? 0, lengths) else { return rate }
            if let rate, next <= rate * (1 + 1e-12) { return rate }
            rate = next
        }
        return rate
    }

    /// Returns the rate of the contiguous set of segments, with a duration in the allowed range, whose number of bits
    /// exceeds the given rate the most.
    private func rateOfMost(above rate: Double, _ lengths: ClosedRange<Double>) -> Double? {
        func excess(_ index: Int) -> Double { bits[index] - rate * times[index] }
        // The candidates for the first segment, the one with the smallest excess first. A later candidate with a
        // smaller excess replaces those before it.
        var beginnings: [Int] = []
        var head = 0
        var next = 0
        var best: (excess: Double, rate: Double)?
        for end in times.indices {
            while next < end, times[next] <= times[end] - lengths.lowerBound {
                while beginnings.count > head, let last = beginnings.last, excess(last) >= excess(next) {
                    beginnings.removeLast()
                }
                beginnings.append(next)
                next += 1
            }
            while head < beginnings.count, times[beginnings[head]] < times[end] - lengths.upperBound { head += 1 }
            guard head < beginnings.count else { continue }
            let begin = beginnings[head]
            let gain = excess(end) - excess(begin)
            let seconds = times[end] - times[begin]
            if seconds > 0, gain > best?.excess ?? -.infinity {
                best = (gain, (bits[end] - bits[begin]) / seconds)
            }
        }
        return best?.rate
    }
}
