/// The starts of the renditions of a presentation. The segments of a Media Playlist follow the start of the
/// presentation, so a rendition that starts later than the others gets EXT-X-GAP segments for the time before (RFC 8216bis,
/// 4.4.4.7): all playlists of a presentation cover the same time.
struct LateStarts {
    /// The shortest delay that is marked, in seconds. Audio and video of one recording rarely start at the same time.
    static let shortestDelay = 0.5

    /// The start of the presentation: the earliest start of a rendition.
    let start: RationalTime
    private let reference: Rendition?

    /// Compares the starts of the renditions that consist of samples.
    init(_ renditions: [Rendition]) {
        let first = renditions.compactMap(\.start).min() ?? .zero
        start = first
        let early = renditions.filter { $0.start == first }
        reference = early.first { $0.track.kind == .video } ?? early.first
    }

    /// Returns the durations of the gaps before the first segment of a rendition: those of the segments of the rendition
    /// that starts first, and the rest; empty if it does not start late.
    func gaps(before rendition: Rendition) -> [RationalTime] {
        guard let late = late(rendition), !hasNumberedIVs(rendition), let reference else { return [] }
        var gaps: [RationalTime] = []
        var position = start.seconds
        for segment in reference.segments {
            let end = position + segment.duration.seconds
            guard segment.part == 0, end < late.seconds - 0.001 else { break }
            gaps.append(segment.duration)
            position = end
        }
        let microseconds = Int64(((late.seconds - position) * 1e6).rounded())
        return microseconds > 0 ? gaps + [RationalTime(microseconds, timescale: 1_000_000)] : gaps
    }

    /// Returns a warning about a rendition that starts late; nil if it does not.
    func warning(about rendition: Rendition) -> String? {
        guard let late = late(rendition) else { return nil }
        let delay = ((late.seconds - start.seconds) * 1000).rounded() / 1000
        let gap =
            hasNumberedIVs(rendition)
            ? "its playlist cannot have a gap there, because the IVs of aes-128 are the numbers of segments: give an IV"
            : "its playlist has a gap there (EXT-X-GAP)"
        return "\(rendition.folder) starts \(delay) s after the start of the presentation; \(gap)"
    }

    /// True if segments before the first one would change the initialization vectors: by default, those of AES-128 are
    /// the Media Sequence Numbers.
    private func hasNumberedIVs(_ rendition: Rendition) -> Bool {
        rendition.protection?.scheme == .aes128 && rendition.protection?.iv == nil
    }

    /// Returns the start of a rendition if it is late.
    private func late(_ rendition: Rendition) -> RationalTime? {
        rendition.start.flatMap { $0.seconds - start.seconds >= Self.shortestDelay ? $0 : nil }
    }
}

extension Rendition {
    /// The media time of the first segment; nil if there is none, or it is a gap that covers the first part.
    fileprivate var start: RationalTime? { segments.first.flatMap { $0.isGap ? nil : $0.start } }

    /// The gaps before the first segment, as segments. They have its keys and its init segment: a client needs an init
    /// segment before any segment of fragmented MP4.
    var leadingGapSegments: [Segment] {
        guard let first = segments.first else { return [] }
        return leadingGaps.enumerated().map { index, duration in
            var gap = first
            gap.resource = Resource(uri: "gap-\(index + 1)")
            (gap.duration, gap.isGap, gap.byteCount, gap.keyFrames) = (duration, true, 0, [])
            (gap.number, gap.isDiscontinuity, gap.date) = (0, false, nil)
            return gap
        }
    }
}
