import HLSPlaylist

/// The bit rates of a Media Playlist as BANDWIDTH and AVERAGE-BANDWIDTH count them (RFC 8216bis, 4.1), in bits per
/// second. The peak is `PeakBitRate`, the average is that of all segments.
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
        var rate = PeakBitRate()
        for segment in segments { rate.append(duration: segment.duration, byteCount: Double(segment.byteCount)) }
        guard rate.seconds > 0 else { return }
        let average = (rate.bitCount / rate.seconds).rounded(.up)
        let peak = rate.rate(targetDuration: targetDuration) ?? average
        self.average = UInt64(exactly: average) ?? 0
        self.peak = max(UInt64(exactly: peak.rounded(.up)) ?? 0, self.average)
    }
}
