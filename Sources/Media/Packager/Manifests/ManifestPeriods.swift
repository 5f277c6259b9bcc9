/// A part of the presentation in which every rendition has one init segment, and so one key or none: a Period of DASH.
/// A clear lead is one, and so is each key period.
struct ManifestPeriod {
    /// A rendition's share of it.
    struct Part {
        /// The rendition.
        var rendition: Rendition
        /// Its segments that belong here, by their places.
        var segments: Range<Int>
        /// When the first of them begins in the presentation.
        var start: MediaTime
        /// Whether they are encrypted.
        var isProtected: Bool
        /// The number of the key period.
        var number: Int
        /// The number that the file of the first of them has.
        var firstNumber: UInt64

        /// How they are encrypted; nil: they are clear.
        var protection: TrackProtection? { isProtected ? rendition.protection(in: number) : nil }
    }

    /// When it begins.
    var start: MediaTime
    /// When it ends.
    var end: MediaTime
    /// Renditions that have segments here, in the order of the presentation.
    var parts: [Part]

    /// Divides a presentation where its clear lead or a key period ends, as its leading rendition has it; there is one part
    /// without.
    static func all(_ renditions: [Rendition]) -> [ManifestPeriod] {
        let sampled = renditions.filter { $0.track.kind != .subtitles }
        let isDivided = { (rendition: Rendition) in
            rendition.clearInitialization != nil || !rendition.laterPeriods.isEmpty
        }
        let leader = sampled.first { $0.track.kind == .video && isDivided($0) } ?? sampled.first(where: isDivided)
        let end = renditions.map { $0.segmentStarts.last ?? .zero }.max() ?? .zero
        var cuts: [MediaTime] = []
        if let leader {
            let starts = leader.segmentStarts
            for (place, (before, after)) in zip(leader.segments, leader.segments.dropFirst()).enumerated()
            where before.isProtected != after.isProtected || after.isProtected && before.period != after.period {
                cuts.append(starts[place + 1])
            }
        }
        return zip([.zero] + cuts, cuts + [end]).map { ManifestPeriod(renditions, from: $0, to: $1) }
    }

    /// A part of a presentation whose segments are known.
    init(start: MediaTime, end: MediaTime, parts: [Part]) {
        self.start = start
        self.end = end
        self.parts = parts
    }

    private init(_ renditions: [Rendition], from start: MediaTime, to end: MediaTime) {
        self.start = start
        self.end = end
        parts = renditions.compactMap { rendition in
            let starts = rendition.segmentStarts
            // What begins before a cut belongs before it, by a millisecond: timescales differ.
            let isWithin = { (place: Int) in
                (start == .zero || starts[place].seconds > start.seconds - 0.001)
                    && (starts[place].seconds <= end.seconds - 0.001)
            }
            let places = rendition.segments.indices.filter(isWithin)
            guard let first = places.first, let last = places.last else { return nil }
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
    /// When segments begin in the presentation, and behind them when the last one ends.
    var segmentStarts: [MediaTime] {
        var time = MediaTime(start.converted(to: track.timescale), timescale: track.timescale)
        var starts = [time]
        for segment in segments {
            time.value += segment.duration.converted(to: track.timescale)
            starts.append(time)
        }
        return starts
    }
}
