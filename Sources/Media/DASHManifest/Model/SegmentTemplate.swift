import XMLDocuments

/// `SegmentTemplate` with `SegmentTimeline`: segments in separate files, whose URLs follow a template (ISO/IEC 23009-1,
/// 5.3.9.4 and 5.3.9.6).
///
///     SegmentTemplate    timescale, presentationTimeOffset, startNumber, duration, availabilityTimeOffset,
///                        availabilityTimeComplete, initialization, media
///       SegmentTimeline
///         S              (each)   t, d, r
public struct SegmentTemplate: Hashable, Sendable {
    /// `S`: consecutive segments of the same duration.
    public struct Run: Hashable, Sendable {
        /// The media time at which the first segment starts, in units of the timescale; nil means the end of the
        /// preceding run.
        public var time: UInt64?
        /// The duration of each segment, in units of the timescale.
        public var duration: UInt64
        /// The number of segments after the first one; a negative number means until the next run or the end of the
        /// Period.
        public var repeats: Int64

        /// Creates a run.
        public init(time: UInt64?, duration: UInt64, repeats: Int64 = 0) {
            self.time = time
            self.duration = duration
            self.repeats = repeats
        }
    }

    /// The number of time units per second.
    public var timescale: UInt32
    /// The media time at the start of the Period, in units of the timescale.
    public var presentationTimeOffset: UInt64
    /// The number of the first segment.
    public var startNumber: UInt64
    /// The duration of the segments without a timeline, in units of the timescale; nil with a timeline.
    public var duration: UInt64?
    /// The time by which segments are available before their end, in seconds; nil when the attribute is absent.
    public var availabilityTimeOffset: Double?
    /// False if a segment is available before it is complete; nil when the attribute is absent, which means true.
    public var availabilityTimeComplete: Bool?
    /// The URL template of the initialization segment; nil when there is none.
    public var initialization: String?
    /// The URL template of the media segments; nil when the attribute is absent.
    public var media: String?
    /// The segments; empty when there is no timeline.
    public var timeline: [Run]

    /// Creates a template for segments with the given durations, the first of which starts at `time`, both in units of
    /// the timescale.
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
        availabilityTimeOffset = try element.availabilityOffset("availabilityTimeOffset")
        availabilityTimeComplete = try element.flag("availabilityTimeComplete")
        initialization = element.attributes["initialization"]
        media = element.attributes["media"]
        timeline = []
        for child in element.child("SegmentTimeline")?.children("S") ?? [] {
            guard let duration = try child.number("d", as: UInt64.self) else {
                throw ManifestError(.missingAttribute, "line \(child.line)", "S has no d attribute: add it")
            }
            let repeats = child.attributes["r"].map { Int64($0) } ?? 0
            guard let repeats else { throw child.invalid("r", "an integer") }
            timeline.append(Run(time: try child.number("t"), duration: duration, repeats: repeats))
        }
    }

    func write(to writer: inout XMLWriter) {
        let attributes: [(String, String?)] = [
            ("timescale", "\(timescale)"),
            ("presentationTimeOffset", presentationTimeOffset == 0 ? nil : "\(presentationTimeOffset)"),
            ("startNumber", "\(startNumber)"), ("duration", duration.map { "\($0)" }),
            ("availabilityTimeOffset", availabilityTimeOffset.map { $0.isInfinite ? "INF" : "\($0)" }),
            ("availabilityTimeComplete", availabilityTimeComplete.map { "\($0)" }),
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
