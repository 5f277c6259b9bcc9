import HLSPlaylist

/// The bit rates of a Media Playlist in bits per second, as RFC 8216bis defines them (section 4.1): the size of the
/// segments, with the overhead of their container and without init segments, divided by EXTINF.
public struct MeasuredBitRate: Hashable, Sendable {
    /// The peak: the largest bit rate of any contiguous set of segments that lasts 0.5 to 1.5 Target Durations.
    public var peak: Double
    /// The average over all segments.
    public var average: Double
    /// True if all segments were loaded; otherwise the rates are estimates of the segments that were.
    public var isExact: Bool

    /// Computes the bit rates of a rendition; nil if no segment was loaded, or none has a duration.
    public init?(_ rendition: MeasuredRendition) {
        var total = PeakBitRate()
        var peak = 0.0
        var run = PeakBitRate()
        var isExact = true
        let target = Double(max(1, rendition.playlist.targetDuration))
        func end() {
            peak = max(peak, run.rate(targetDuration: target) ?? 0)
            run = PeakBitRate()
        }
        for segment in rendition.segments where !segment.isGap {
            guard let count = segment.byteCount, segment.duration >= 0 else {
                // Segments that are not contiguous are no set of the definition.
                isExact = false
                end()
                continue
            }
            run.append(duration: segment.duration, byteCount: Double(count))
            total.append(duration: segment.duration, byteCount: Double(count))
        }
        end()
        guard total.seconds > 0 else { return nil }
        average = total.bitCount / total.seconds
        self.peak = max(peak, average)
        self.isExact = isExact
    }
}
