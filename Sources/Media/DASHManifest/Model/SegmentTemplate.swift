import XMLDocuments

/// `SegmentTemplate` with `SegmentTimeline`: segments in files of their own, whose names follow a pattern
/// (ISO/IEC 23009-1, 5.3.9.4 and 5.3.9.6).
///
///     SegmentTemplate    timescale, presentationTimeOffset, startNumber, duration, initialization, media
///       SegmentTimeline
///         S              (each)   t, d, r
public struct SegmentTemplate: Hashable, Sendable {
    /// `S`: segments of one duration, one behind the other.
    public struct Run: Hashable, Sendable {
        /// When the first one begins in the media; nil: where the one before it ends.
        public var time: UInt64?
        /// How long each is.
        public var duration: UInt64
        /// How many follow the first one; below 0: as many as there is room for.
        public var repeats: Int64

        /// Makes a run.
        public init(time: UInt64?, duration: UInt64, repeats: Int64 = 0) {
            self.time = time
            self.duration = duration
            self.repeats = repeats
        }
    }

    /// Units per second of all times here.
    public var timescale: UInt32
    /// Which time of the media is the beginning of the period.
    public var presentationTimeOffset: UInt64
    /// The number of the first segment.
    public var startNumber: UInt64
    /// How long segments are where there is no timeline; nil: there is one.
    public var duration: UInt64?
    /// The init segment; nil: there is none.
    public var initialization: String?
    /// What segments are called; nil: not said.
    public var media: String?
    /// The segments; empty when there is no timeline.
    public var timeline: [Run]

    /// Makes a template of segments that are `durations` long, the first of which begins at `time`.
    public init(
        timescale: UInt32,
        presentationTimeOffset: UInt64 = 0,
        startNumber: UInt64 = 1,
        initialization: String?,
        media: String?,
        time: UInt64,
        durations: some Sequence<UInt64>
    ) {
        self.timescale = timescale
        self.presentationTimeOffset = presentationTimeOffset
        self.startNumber = startNumber
        self.initialization = initialization
        self.media = media
        timeline = []
        for duration in durations {
            if let last = timeline.indices.last, timeline[last].duration == duration {
                timeline[last].repeats += 1
            } else {
                timeline.append(Run(time: timeline.isEmpty ? time : nil, duration: duration))
            }
        }
    }

    init(reading element: XMLTree.Element) throws(ManifestError) {
        timescale = try element.number("timescale") ?? 1
        presentationTimeOffset = try element.number("presentationTimeOffset") ?? 0
        startNumber = try element.number("startNumber") ?? 1
        duration = try element.number("duration")
        initialization = element.attributes["initialization"]
        media = element.attributes["media"]
        timeline = []
        for child in element.child("SegmentTimeline")?.children("S") ?? [] {
            guard let duration = try child.number("d", as: UInt64.self) else {
                throw ManifestError(.missingAttribute, "line \(child.line)", "S has no d")
            }
            let repeats = child.attributes["r"].map { Int64($0) } ?? 0
            guard let repeats else { throw child.invalid("r", "no whole number") }
            timeline.append(Run(time: try child.number("t"), duration: duration, repeats: repeats))
        }
    }

    func write(to writer: inout XMLWriter) {
        let attributes: [(String, String?)] = [
            ("timescale", "\(timescale)"),
            ("presentationTimeOffset", presentationTimeOffset == 0 ? nil : "\(presentationTimeOffset)"),
            ("startNumber", "\(startNumber)"), ("duration", duration.map { "\($0)" }),
            ("initialization", initialization), ("media", media),
        ]
        writer.element("SegmentTemplate", attributes) { writer in
            guard !timeline.isEmpty else { return }
            writer.element("SegmentTimeline") { writer in
                for run in timeline {
                    let time = run.time.map { "\($0)" }
                    writer.element(
                        "S",
                        [("t", time), ("d", "\(run.duration)"), ("r", run.repeats == 0 ? nil : "\(run.repeats)")]
                    )
                }
            }
        }
    }
}
