import DASHManifest
import HLSPlaylist

/// A Period of a live manifest. It is a draft until all renditions have a segment in it, because the adaptation sets of
/// a published Period must not change.
struct LivePeriod: Sendable {
    /// The ID of the Period in the manifest, which is never reused.
    let id: String
    /// The number of its key period, and whether it is in the clear lead.
    private let keyPeriod: Int
    private let isInClearLead: Bool
    /// The media time at which its first segment starts.
    private let origin: RationalTime
    /// The start relative to availabilityStartTime.
    private let start: ManifestDuration
    /// The renditions with the segments received so far, by rendition index.
    private var drafts: [Int: ManifestPeriod.Part] = [:]
    private var bandwidths: [String: UInt64] = [:]
    /// True if the Period is published.
    private(set) var isPublished = false

    /// Creates a Period that starts at a segment, without adding the segment.
    init(id: String, beginningWith position: LiveSegment.Position, start: ManifestDuration) {
        self.id = id
        keyPeriod = position.period
        isInClearLead = position.isInClearLead
        origin = position.start
        self.start = start
    }

    /// Returns whether a segment belongs to this Period or a later one with the same key. Timescales differ, so a
    /// segment may start up to a millisecond before the Period.
    func includes(_ position: LiveSegment.Position) -> Bool {
        fits(position) && position.start.seconds > origin.seconds - 0.001
    }

    /// Returns whether a segment has the same key as this Period, or is clear like this Period, whatever its start.
    func fits(_ position: LiveSegment.Position) -> Bool {
        keyPeriod == position.period && isInClearLead == position.isInClearLead
    }

    /// Returns whether the Period can be published: all renditions have a segment, or one is so far ahead that the
    /// others are not expected.
    func isComplete(_ renditionCount: Int) -> Bool {
        drafts.count == renditionCount || drafts.values.contains { $0.segments.count > 2 }
    }

    /// Adds a segment to a draft.
    mutating func add(
        _ segment: LiveSegment,
        _ position: LiveSegment.Position,
        of rendition: Rendition,
        at index: Int,
        bandwidth: UInt64
    ) {
        var part = drafts[index] ?? Self.part(rendition, segment, position)
        part.rendition.segments.append(
            Rendition.Segment(
                resource: Rendition.Resource(uri: segment.entry.uri),
                byteCount: segment.entry.byteCount ?? 0,
                duration: RationalTime(Int64(clamping: position.duration), timescale: position.start.timescale),
                isProtected: part.isProtected,
                keyFrames: []
            )
        )
        part.segments = 0..<part.rendition.segments.count
        drafts[index] = part
        bandwidths[rendition.folder] = bandwidth
    }

    private static func part(
        _ rendition: Rendition,
        _ segment: LiveSegment,
        _ position: LiveSegment.Position
    ) -> ManifestPeriod.Part {
        var rendition = rendition
        rendition.protection = position.protection
        rendition.initialization = segment.entry.map.map { Rendition.Resource(uri: $0.uri) }
        return ManifestPeriod.Part(
            rendition: rendition,
            segments: 0..<0,
            start: position.start,
            isProtected: position.protection != nil,
            number: position.period,
            firstNumber: position.number
        )
    }

    /// Publishes the draft and returns its Period.
    ///
    /// - Throws: `SignalingError`.
    mutating func publish(_ options: PlaylistOptions) throws -> Period {
        isPublished = true
        let parts = drafts.keys.sorted().compactMap { drafts[$0] }
        drafts = [:]
        let whole = ManifestPeriod(start: origin, end: origin, parts: parts)
        var period = try Period(whole, id: id, start: start, duration: nil, options)
        for (name, bandwidth) in bandwidths {
            period.change(name) { $0.bandwidth = max($0.bandwidth, bandwidth) }
        }
        return period
    }
}
