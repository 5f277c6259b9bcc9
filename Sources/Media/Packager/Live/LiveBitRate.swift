/// The bit rate of a live rendition: the measured peak plus 10 percent for later segments, so that the Multivariant
/// Playlist does not change with each segment.
struct LiveBitRate: Sendable {
    private var recent: [(duration: Double, byteCount: Int)] = []
    private var peak: UInt64 = 0
    private var bits = 0.0
    private var seconds = 0.0
    /// The bit rates in playlists.
    private(set) var published = BitRate.zero

    mutating func append(_ segment: Rendition.Segment, _ targetDuration: UInt64) {
        let (duration, byteCount) = (segment.duration.seconds, segment.byteCount)
        recent.append((duration, byteCount))
        // Segments further back than 1.5 Target Durations cannot be part of a peak with this segment.
        var total = recent.reduce(0) { $0 + $1.duration }
        while let first = recent.first, total - first.duration > 2 * Double(targetDuration) + 1 {
            total -= first.duration
            recent.removeFirst()
        }
        bits += Double(byteCount) * 8
        seconds += duration
        peak = max(peak, BitRate(recent, targetDuration: Double(targetDuration)).peak)
        guard peak > published.peak else { return }
        published.peak = peak + peak / 10
        published.average = min(published.peak, UInt64(exactly: (bits / max(seconds, 0.001)).rounded(.up)) ?? 0)
    }
}
