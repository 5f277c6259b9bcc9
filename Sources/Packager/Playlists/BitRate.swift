/// The bit rates of a Media Playlist as BANDWIDTH and AVERAGE-BANDWIDTH count them (RFC 8216bis, 4.1), in bits per
/// second.
///
/// The peak is the greatest rate of any contiguous segments that last together from half a Target Duration to one and
/// a half, and half a second more for the rounding of Target Durations. The average is that of all segments.
struct BitRate: Hashable {
    /// The peak segment bit rate, rounded up.
    var peak: UInt64 = 0
    /// The average segment bit rate, rounded up; never above the peak.
    var average: UInt64 = 0

    /// Nothing.
    static let zero = BitRate()

    /// The sum of both.
    static func + (left: BitRate, right: BitRate) -> BitRate {
        BitRate(peak: left.peak + right.peak, average: left.average + right.average)
    }

    /// The greater of each.
    func maximum(_ other: BitRate) -> BitRate {
        BitRate(peak: max(peak, other.peak), average: max(average, other.average))
    }
}

extension BitRate {
    /// Measures segments; durations and the Target Duration in seconds, sizes in bytes.
    init(_ segments: [(duration: Double, byteCount: Int)], targetDuration: Double) {
        var times = [0.0]
        var bits = [0.0]
        var time = 0.0
        var bit = 0.0
        for segment in segments {
            time += segment.duration
            bit += Double(segment.byteCount) * 8
            times.append(time)
            bits.append(bit)
        }
        guard time > 0 else { return }
        let average = (bit / time).rounded(.up)
        // Sums of binary fractions are not exact.
        let window = Window(
            times: times,
            bits: bits,
            shortest: targetDuration * 0.5 - 1e-6,
            longest: targetDuration * 1.5 + 0.5 + 1e-6
        )
        self.average = UInt64(exactly: average) ?? 0
        peak = max(UInt64(exactly: (window.greatestRate ?? average).rounded(.up)) ?? 0, self.average)
    }
}

/// The best run of segments whose length is bounded.
private struct Window {
    /// Seconds up to each segment.
    let times: [Double]
    /// Bits up to each segment.
    let bits: [Double]
    let shortest: Double
    let longest: Double

    /// The greatest rate of any run; nil when none is as long as it must be.
    ///
    /// Which run exceeds a given rate the most takes one pass to find (below). Its own rate is then the next to exceed,
    /// until none does. A few passes do, however many segments there are: playlists of I-frames may have a hundred
    /// thousand.
    var greatestRate: Double? {
        var rate: Double?
        for _ in 0..<64 {
            guard let next = rateOfBest(above: rate ?? 0) else { return rate }
            if let rate, next <= rate * (1 + 1e-12) { return rate }
            rate = next
        }
        return rate
    }

    /// The rate of the run that has the most bits above what `rate` would give it.
    private func rateOfBest(above rate: Double) -> Double? {
        func excess(_ index: Int) -> Double { bits[index] - rate * times[index] }
        // Where a run that ends here may begin, by falling use: one that comes later and has less behind it makes those
        // before it useless.
        var beginnings: [Int] = []
        var head = 0
        var next = 0
        var best: (gain: Double, rate: Double)?
        for end in times.indices {
            while next < end, times[end] - times[next] >= shortest {
                while beginnings.count > head, let last = beginnings.last, excess(last) >= excess(next) {
                    beginnings.removeLast()
                }
                beginnings.append(next)
                next += 1
            }
            while head < beginnings.count, times[end] - times[beginnings[head]] > longest { head += 1 }
            guard head < beginnings.count else { continue }
            let begin = beginnings[head]
            let seconds = times[end] - times[begin]
            let gain = excess(end) - excess(begin)
            if seconds > 0, gain > best?.gain ?? -.infinity {
                best = (gain, (bits[end] - bits[begin]) / seconds)
            }
        }
        return best?.rate
    }
}
