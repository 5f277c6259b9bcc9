public import HLSPlaylist

extension QualityController {
    /// Adds a segment to the bit rate of a variant without a valid BANDWIDTH. Such a variant fits every throughput
    /// until its bit rate is known; afterward the highest bit rate of its segments is its BANDWIDTH in ``current`` and
    /// in decisions. Has no effect for other variants.
    ///
    /// - Parameters:
    ///   - bytes: The size of the segment, in bytes.
    ///   - duration: The EXTINF duration of the segment, in seconds.
    ///   - variant: The variant.
    public mutating func measure(bytes: Int, duration: Double, of variant: Variant) {
        let seconds = PlaybackTime.clamped(duration)
        guard bytes > 0, seconds > 0, let known = playlist.variants.first(where: { $0.uri == variant.uri }),
            known.bandwidth == 0 || measuredVariants.contains(variant.uri)
        else { return }
        let rate = UInt64(exactly: min(Double(bytes) * 8 / seconds, 1e15).rounded(.up)) ?? 0
        guard rate > known.bandwidth else { return }
        measuredVariants.insert(variant.uri)
        for index in playlist.variants.indices where playlist.variants[index].uri == variant.uri {
            playlist.variants[index].bandwidth = rate
        }
        for index in candidates.variants.indices where candidates.variants[index].uri == variant.uri {
            candidates.variants[index].bandwidth = rate
        }
        if current?.uri == variant.uri { current?.bandwidth = rate }
    }
}
