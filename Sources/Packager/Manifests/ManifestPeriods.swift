/// A part of the presentation in which every rendition has one init segment, and so one key or none: a Period of DASH.
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
    }

    /// When it begins.
    var start: MediaTime
    /// When it ends.
    var end: MediaTime
    /// Renditions that have segments here, in the order of the presentation.
    var parts: [Part]

    /// Divides a presentation where its clear lead ends, as its leading rendition has it; there is one part without.
    static func all(_ renditions: [Rendition]) -> [ManifestPeriod] {
        let sampled = renditions.filter { $0.track.kind != .subtitles }
        let leader =
            sampled.first { $0.track.kind == .video && $0.clearInitialization != nil }
            ?? sampled.first { $0.clearInitialization != nil }
        let end = renditions.map { $0.segmentStarts.last ?? .zero }.max() ?? .zero
        guard let leader, let place = leader.segments.firstIndex(where: \.isProtected), place > 0 else {
            return [ManifestPeriod(renditions, from: .zero, to: end)]
        }
        let cut = leader.segmentStarts[place]
        return [ManifestPeriod(renditions, from: .zero, to: cut), ManifestPeriod(renditions, from: cut, to: end)]
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
                isProtected: rendition.segments[first].isProtected
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
