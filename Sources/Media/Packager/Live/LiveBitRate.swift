/// The bit rate of a live rendition: the measured peak plus 10 percent for later segments, so that the Multivariant
/// Playlist does not change with each segment.
struct LiveBitRate: Sendable {
    private var recent: [(duration: Double, byteCount: Int)] = []
    private var peak: UInt64 = 0
    private var bits = 0.0
    private var seconds = 0.0
    /// The bit rates in playlists.
    private(set) var stated = BitRate.zero

    mutating func append(duration: Double, byteCount: Int, _ targetDuration: UInt64) {
        recent.append((duration, byteCount))
        // Segments further back than 1.5 Target Durations cannot be part of a peak with this segment.
        var held = recent.reduce(0) { $0 + $1.duration }
        while let first = recent.first, held - first.duration > 2 * Double(targetDuration) + 1 {
            held -= first.duration
            recent.removeFirst()
        }
        bits += Double(byteCount) * 8
        seconds += duration
        peak = max(peak, BitRate(recent, targetDuration: Double(targetDuration)).peak)
        guard peak > stated.peak else { return }
        stated.peak = peak + peak / 10
        stated.average = min(stated.peak, UInt64(exactly: (bits / max(seconds, 0.001)).rounded(.up)) ?? 0)
    }
}
