/// The peak segment bit rate of a Media Playlist (RFC 8216bis, 4.1): the greatest of any contiguous segments that last
/// together from half a Target Duration to one and a half, and half a second more for the rounding of Target Durations.
package struct PeakBitRate {
    /// Seconds up to each segment.
    private var times = [0.0]
    /// Bits up to each segment.
    private var bits = [0.0]

    /// Begins without segments.
    package init() {}

    /// How long the segments last together, in seconds.
    package var seconds: Double { times[times.count - 1] }

    /// How many bits they have together.
    package var bitCount: Double { bits[bits.count - 1] }

    /// Adds the next segment: its duration in seconds, its size in bytes.
    package mutating func append(duration: Double, byteCount: Double) {
        times.append(seconds + duration)
        bits.append(bitCount + byteCount * 8)
    }

    /// The rate in bits per second; nil when no segments last as long as they must.
    ///
    /// Which segments exceed a rate the most takes one pass to find. Their own rate is then the next one to exceed,
    /// until none do. A few passes do, however many segments there are: playlists of I-frames may have a hundred
    /// thousand.
    ///
    /// - Parameter targetDuration: In seconds.
    package func rate(targetDuration: Double) -> Double? {
        // Sums of binary fractions are not exact.
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

    /// The rate of the contiguous segments of an allowed length that have the most bits above what a rate would give
    /// them.
    private func rateOfMost(above rate: Double, _ lengths: ClosedRange<Double>) -> Double? {
        func excess(_ index: Int) -> Double { bits[index] - rate * times[index] }
        // The possible beginnings, the one with the least excess first; a later one with less makes those before it
        // useless.
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
