import HLSPlaylist

/// A continuous part of a live presentation, between discontinuities of the inputs: one plan, one timeline.
struct LiveEpoch {
    /// The number of the part.
    let part: Int
    /// The plan: the inputs and the renditions of their tracks.
    var plan: PackagingPlan
    /// Whether a rendition has a track, by the index in the plan.
    let hasTrack: [Bool]
    /// The index of the leading rendition.
    let leader: Int
    /// The number of the key period at the start.
    let firstPeriod: Int
    /// The number by which the pipeline's numbers of key periods differ; nil before the first segment.
    private var periodOffset: Int?
    /// The segments of the leading rendition, as long as a rendition with a track has no segment.
    private(set) var leaderSegments: [Rendition.Segment] = []
    /// The writers in the order of the plan's renditions; empty until the first segment.
    var writers: [RenditionWriter] = []
    /// The date of the start.
    private let start: PlaylistDate
    /// The presentation time of the first segment.
    private var origin: RationalTime?
    /// The times of dropped segments, which were too long.
    private var gaps: [Range<RationalTime>] = []
    /// The time from which each rendition's next segment is marked with a discontinuity.
    private var discontinuities: [Int: RationalTime] = [:]

    /// The renditions that have a segment.
    private var startedRenditions: Set<Int> = []
    /// The clear lead; only the start of the presentation has one.
    private var clearLead: ClearLead

    /// The init segments that were written ahead of key periods and have not been used, by rendition.
    var unusedInitializations: [(rendition: Int, uri: String)] {
        writers.enumerated().compactMap { index, writer in writer.unusedInitialization.map { (index, $0) } }
    }

    /// Starts a part.
    ///
    /// - Parameter isContinued: Whether there are earlier segments.
    init(
        _ part: SegmentPipeline.Part,
        _ plan: PackagingPlan,
        start: PlaylistDate,
        firstPeriod: Int,
        isContinued: Bool
    ) {
        self.part = part.number
        self.plan = plan
        self.firstPeriod = firstPeriod
        leader = part.leader
        hasTrack = part.renditions.map { $0 != nil }
        self.start = start
        clearLead = ClearLead(isContinued ? nil : plan.job.clearLead)
        if isContinued {
            for index in plan.renditions.indices { discontinuities[index] = RationalTime(.min / 2, timescale: 1) }
        }
    }

    /// Returns the number of the key period of a segment.
    mutating func period(of segment: TrackSegment) -> Int {
        let offset = periodOffset ?? firstPeriod - segment.period
        periodOffset = offset
        return segment.period + offset
    }

    /// Records that a rendition has a segment.
    mutating func addSegment(of rendition: Int) { startedRenditions.insert(rendition) }

    /// Returns whether a rendition has a segment.
    func hasSegment(_ rendition: Int) -> Bool { startedRenditions.contains(rendition) }

    /// Adds a segment of the leading rendition.
    mutating func addLeaderSegment(_ segment: Rendition.Segment) {
        if plan.renditions.indices.allSatisfy({ !hasTrack[$0] || hasSegment($0) }) {
            leaderSegments = []
        } else {
            leaderSegments.append(segment)
        }
    }

    /// Returns whether a segment must be dropped: it is too long, or it starts within a dropped segment of the leading
    /// rendition.
    mutating func mustDrop(_ segment: TrackSegment, isTooLong: Bool) -> Bool {
        if origin == nil { origin = segment.start }
        if isTooLong {
            gaps.append(segment.start..<segment.end)
            if gaps.count > 64 { gaps.removeFirst() }
            for index in plan.renditions.indices { discontinuities[index] = segment.end }
            return true
        }
        return gaps.contains { $0.contains(segment.start) }
    }

    /// True if the clear lead is in progress.
    var isInClearLead: Bool { clearLead.isInProgress }

    /// Returns whether a segment is in the clear lead.
    ///
    /// - Parameter isLeader: Whether the segment belongs to the leading rendition.
    mutating func isClear(_ segment: TrackSegment, isLeader: Bool) -> Bool {
        clearLead.contains(segment, isLeader: isLeader)
    }

    /// Returns by how many seconds the first segment of a rendition starts later than the part; nil for other segments,
    /// and if the delay is as short as usual between audio and video.
    func lateStart(of segment: TrackSegment) -> Double? {
        guard !hasSegment(segment.rendition), let origin else { return nil }
        let delay = segment.start.seconds - origin.seconds
        return delay >= LateStarts.shortestDelay ? delay : nil
    }

    /// Returns the date of a presentation time.
    func date(of time: RationalTime) -> PlaylistDate {
        start.advanced(by: max(0, time.seconds - (origin?.seconds ?? 0)))
    }

    /// Returns whether a segment starts a new timeline (EXT-X-DISCONTINUITY). Must be called once for each segment.
    mutating func isDiscontinuity(_ segment: TrackSegment) -> Bool {
        guard let time = discontinuities[segment.rendition], time <= segment.start else { return false }
        discontinuities[segment.rendition] = nil
        return true
    }
}
