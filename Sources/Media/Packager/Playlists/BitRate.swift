import HLSPlaylist

/// The bit rates of a Media Playlist in bits per second, as defined for BANDWIDTH and AVERAGE-BANDWIDTH (RFC 8216bis,
/// 4.1). The peak is computed by `PeakBitRate`, the average over all segments.
struct BitRate: Hashable {
    /// The peak segment bit rate, rounded up.
    var peak: UInt64 = 0
    /// The average segment bit rate, rounded up; never above the peak.
    var average: UInt64 = 0

    /// Zero.
    static let zero = BitRate()

    /// Returns the sums of the peaks and of the averages.
    static func + (left: BitRate, right: BitRate) -> BitRate {
        BitRate(peak: left.peak + right.peak, average: left.average + right.average)
    }

    /// Returns the maximum of the peaks and of the averages.
    func maximum(_ other: BitRate) -> BitRate {
        BitRate(peak: max(peak, other.peak), average: max(average, other.average))
    }
}

extension RenditionPlaylist {
    /// Returns the exact bit rate of the segments.
    ///
    /// - Parameter targetDuration: The Target Duration in seconds.
    func bitRate(targetDuration: UInt64) -> BitRate {
        let media = segments.filter { !$0.isGap }.map { (duration: $0.duration.seconds, byteCount: $0.byteCount) }
        return BitRate(media, targetDuration: Double(targetDuration))
    }
}

extension BitRate {
    /// Computes the bit rates of segments; durations and the Target Duration are in seconds, sizes in bytes.
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

/// The values of EXT-X-BITRATE tags: a segment has that of the segment before it, if its bit rate is within 10 percent of it
/// (RFC 8216bis, 4.4.4.8).
struct BitRateValues {
    /// The last value, in kilobits per second.
    private(set) var last: UInt64?

    init(last: UInt64? = nil) { self.last = last }

    /// Returns the value for a segment with a size in bytes and a duration in seconds; nil without a bit rate.
    mutating func next(byteCount: Int, duration: Double) -> UInt64? {
        guard duration > 0 else { return last }
        let rate = Double(byteCount) * 8 / duration / 1000
        if let last, (Double(last) * 0.9...Double(last) * 1.1).contains(rate) { return last }
        if let rounded = UInt64(exactly: rate.rounded()), rounded > 0 { last = rounded }
        return last
    }
}
