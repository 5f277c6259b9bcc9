import HLSPlaylist

/// A stretch of a live presentation in which the inputs go on from what was before: one plan, one line of times.
struct LiveEpoch {
    /// The inputs, and what becomes of their tracks.
    var plan: PackagingPlan
    /// In the order of the plan's renditions; made when the first segment comes.
    var writers: [LiveWriter] = []
    /// The date of its beginning.
    private let start: PlaylistDate
    /// When its first segment is presented.
    private var origin: MediaTime?
    /// What is left out, since it is longer than it may be.
    private var gaps: [Range<MediaTime>] = []
    /// From when on each rendition's next segment begins times anew.
    private var discontinuities: [Int: MediaTime] = [:]

    /// The renditions that have a segment.
    private var begun: Set<Int> = []
    /// When the clear lead ends: where the first segment of the leading rendition begins that is not in it. Nil: not yet.
    private var leadEnd: MediaTime?
    /// Whether the clear lead is not over. There is one at the beginning of the presentation alone.
    private(set) var isInLead: Bool

    /// Begins a stretch.
    ///
    /// - Parameter isContinued: Whether there are segments before it.
    init(_ plan: PackagingPlan, start: PlaylistDate, isContinued: Bool) {
        self.plan = plan
        self.start = start
        isInLead = plan.job.clearLead != nil && !isContinued
        if isContinued {
            for place in plan.renditions.indices { discontinuities[place] = MediaTime(.min / 2, timescale: 1) }
        }
    }

    /// Whether a segment has no place: it is too long itself, or lies where the leading rendition's was.
    mutating func leavesOut(_ segment: SegmentPipeline.Segment, isTooLong: Bool) -> Bool {
        if origin == nil { origin = segment.start }
        if isTooLong {
            gaps.append(segment.start..<segment.end)
            if gaps.count > 64 { gaps.removeFirst() }
            for place in plan.renditions.indices { discontinuities[place] = segment.end }
            return true
        }
        return gaps.contains { $0.contains(segment.start) }
    }

    /// Whether a rendition has no segment yet. Asked once for each segment.
    mutating func isFirst(_ segment: SegmentPipeline.Segment) -> Bool { begun.insert(segment.rendition).inserted }

    /// Whether a segment lies in the clear lead. The leading rendition decides when that ends; it is asked first.
    ///
    /// - Parameter isLeader: Whether the segment is one of the leading rendition.
    mutating func isClear(_ segment: SegmentPipeline.Segment, isLeader: Bool) -> Bool {
        if isLeader, isInLead, let lead = plan.job.clearLead, let origin,
            segment.start.seconds - origin.seconds >= lead.seconds
        {
            isInLead = false
            leadEnd = segment.start
        }
        return isInLead || leadEnd.map { segment.start < $0 } ?? false
    }

    /// When a segment's first frame was made.
    func date(of time: MediaTime) -> PlaylistDate { start.advanced(by: max(0, time.seconds - (origin?.seconds ?? 0))) }

    /// Whether times begin anew with a segment. Asked once for each.
    mutating func isDiscontinuity(_ segment: SegmentPipeline.Segment) -> Bool {
        guard let time = discontinuities[segment.rendition], time <= segment.start else { return false }
        discontinuities[segment.rendition] = nil
        return true
    }
}
