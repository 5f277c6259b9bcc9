/// The clear lead at the start of a presentation: whole segments of the leading rendition, and the segments of the other
/// renditions that start during these.
struct ClearLead {
    private let duration: RationalTime?
    private var origin: RationalTime?
    /// The end of the leading rendition's last segment in the clear lead.
    private var end = RationalTime(.min / 2, timescale: 1)
    /// True until the leading rendition has a segment after the clear lead.
    private(set) var isInProgress: Bool

    /// Creates a clear lead.
    ///
    /// - Parameter duration: The minimum duration; nil for no clear lead.
    init(_ duration: RationalTime?) {
        self.duration = duration
        isInProgress = duration != nil
    }

    /// Returns whether a segment is in the clear lead. The segments of each rendition must be checked in order.
    ///
    /// - Parameter isLeader: Whether the segment belongs to the leading rendition.
    mutating func contains(_ segment: TrackSegment, isLeader: Bool) -> Bool {
        guard let duration else { return false }
        let origin = origin ?? segment.start
        self.origin = origin
        let isEarly = segment.start.seconds - origin.seconds < duration.seconds
        guard isLeader else { return segment.start < end || isInProgress && isEarly }
        guard isInProgress else { return false }
        isInProgress = isEarly
        end = isEarly ? segment.end : segment.start
        return isEarly
    }
}
