/// A part of the presentation in which every rendition has one init segment, so one key or none: a Period in DASH. A
/// clear lead and each key period are such parts.
struct ManifestPeriod {
    /// The part of a rendition.
    struct Part {
        /// The rendition.
        var rendition: Rendition
        /// The indexes of its segments in this part.
        var segments: Range<Int>
        /// The presentation time at which the first of them starts.
        var start: RationalTime
        /// True if the segments are encrypted.
        var isProtected: Bool
        /// The number of the key period.
        var number: Int
        /// The number in the file name of the first segment.
        var firstNumber: UInt64

        /// The encryption of the segments; nil if they are clear.
        var protection: TrackProtection? { isProtected ? rendition.protection(in: number) : nil }
    }

    /// The start time.
    var start: RationalTime
    /// The end time.
    var end: RationalTime
    /// The renditions that have segments in this part, in the order of the presentation.
    var parts: [Part]

    /// Splits a presentation at the end of its clear lead and at key rotations of its leading rendition; returns a
    /// single part if there are none.
    static func all(_ renditions: [Rendition]) -> [ManifestPeriod] {
        let sampled = renditions.filter { $0.track.kind != .subtitles }
        let isDivided = { (rendition: Rendition) in
            rendition.clearInitialization != nil || !rendition.laterPeriods.isEmpty
        }
        let leader = sampled.first { $0.track.kind == .video && isDivided($0) } ?? sampled.first(where: isDivided)
        let end = renditions.map { $0.segmentStarts.last ?? .zero }.max() ?? .zero
        var cuts: [RationalTime] = []
        if let leader {
            let starts = leader.segmentStarts
            for (index, (before, after)) in zip(leader.segments, leader.segments.dropFirst()).enumerated()
            where before.isProtected != after.isProtected || after.isProtected && before.period != after.period {
                cuts.append(starts[index + 1])
            }
        }
        return zip([.zero] + cuts, cuts + [end]).map { ManifestPeriod(renditions, from: $0, to: $1) }
    }

    /// Creates a part whose segments are known.
    init(start: RationalTime, end: RationalTime, parts: [Part]) {
        self.start = start
        self.end = end
        self.parts = parts
    }

    private init(_ renditions: [Rendition], from start: RationalTime, to end: RationalTime) {
        self.start = start
        self.end = end
        parts = renditions.compactMap { rendition in
            let starts = rendition.segmentStarts
            // A segment belongs to the part in which it starts, up to a millisecond early: timescales differ.
            let isWithin = { (index: Int) in
                (start == .zero || starts[index].seconds > start.seconds - 0.001)
                    && (starts[index].seconds <= end.seconds - 0.001)
            }
            let indexes = rendition.segments.indices.filter(isWithin)
            guard let first = indexes.first, let last = indexes.last else { return nil }
            return Part(
                rendition: rendition,
                segments: first..<last + 1,
                start: starts[first],
                isProtected: rendition.segments[first].isProtected,
                number: rendition.segments[first].period,
                firstNumber: UInt64(first) + 1
            )
        }
    }
}

extension Rendition {
    /// The start times of the segments in the presentation, followed by the end of the last one.
    var segmentStarts: [RationalTime] {
        var time = RationalTime(start.converted(to: track.timescale), timescale: track.timescale)
        var starts = [time]
        for segment in segments {
            time.value += segment.duration.converted(to: track.timescale)
            starts.append(time)
        }
        return starts
    }
}
