/// Which segments of a Media Playlist are loaded.
public struct SegmentSampling: Hashable, Sendable {
    /// The share of the segments, from 0 to 1.
    public var share = 1.0
    /// The time in seconds from the start of the playlist from which on no segment is loaded; nil for all.
    public var end: Double?
    /// The seed of the random choice.
    public var seed: UInt64 = 0

    /// All segments.
    public static let all = SegmentSampling()
    /// No segment: only playlists and init segments.
    public static let none = SegmentSampling(share: 0)
    /// Only the first segment of each playlist: the smallest share always contains it.
    package static let first = SegmentSampling(share: 1e-6, end: 1e-3)

    /// Creates a sampling.
    public init(share: Double = 1, end: Double? = nil, seed: UInt64 = 0) {
        self.share = min(1, max(0, share))
        (self.end, self.seed) = (end, seed)
    }

    /// Returns the indices of the segments to load. The first segment, the last, and those on both sides of each change of
    /// keys, of the init segment and of each discontinuity are always among them, unless the share is 0.
    func indices(of segments: [MeasuredSegment]) -> Set<Int> {
        let candidates = segments.indices.filter { !segments[$0].isGap && segments[$0].start < end ?? .infinity }
        guard share > 0 else { return [] }
        guard share < 1 else { return Set(candidates) }
        var chosen: Set<Int> = []
        if let first = candidates.first { chosen.insert(first) }
        if let last = candidates.last { chosen.insert(last) }
        for index in candidates where index > 0 {
            let (before, after) = (segments[index - 1], segments[index])
            if before.keys != after.keys || before.map != after.map || after.isDiscontinuity {
                chosen.formUnion([index - 1, index])
            }
        }
        // Pairs of neighbors, because most rules compare a segment with the next one.
        var state = seed &+ 0x9E37_79B9_7F4A_7C15
        let count = Int((Double(candidates.count) * share).rounded(.up))
        var attempts = 0
        while chosen.count < count, attempts < candidates.count * 8 {
            attempts += 1
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let position = Int(state >> 33) % candidates.count
            chosen.insert(candidates[position])
            if position + 1 < candidates.count { chosen.insert(candidates[position + 1]) }
        }
        return chosen
    }
}
