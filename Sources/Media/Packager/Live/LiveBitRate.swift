/// The bit rate of a rendition that has no end: what was measured, with a tenth above it for what is still to come, so that
/// the Multivariant Playlist need not change with each segment.
struct LiveBitRate: Sendable {
    private var recent: [(duration: Double, byteCount: Int)] = []
    private var peak: UInt64 = 0
    private var bits = 0.0
    private var seconds = 0.0
    /// What playlists say.
    private(set) var stated = BitRate.zero

    mutating func append(duration: Double, byteCount: Int, _ targetDuration: UInt64) {
        recent.append((duration, byteCount))
        // What is longer ago than one and a half Target Durations belongs to no peak with this segment.
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
