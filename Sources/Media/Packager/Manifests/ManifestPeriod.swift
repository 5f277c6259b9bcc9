import DASHManifest

/// A Period of a manifest: a part of the presentation in which every rendition has one init segment, so one key or none.
/// A clear lead and each key period are such parts. The Period is a draft until it is published, because the adaptation
/// sets of a published Period must not change.
struct ManifestPeriod: Sendable {
    /// The segments of a rendition in a Period.
    struct Part: Sendable {
        /// The description of the rendition.
        var rendition: Rendition
        /// The segments; not empty.
        var segments: [Rendition.Segment] = []

        /// The encryption of the segments; nil if they are clear.
        var protection: TrackProtection? { segments.first?.protection }
    }

    /// The ID of the Period in the manifest, which is never reused.
    let id: String
    /// The media time at which it starts.
    let origin: RationalTime
    /// The start in the presentation; for live relative to availabilityStartTime.
    let start: ManifestDuration
    /// The number of its key period, and whether it is in the clear lead.
    private let keyPeriod: Int
    private let isInClearLead: Bool
    /// The renditions with the segments received so far, by rendition index.
    private var drafts: [Int: Part] = [:]
    private var bandwidths: [String: UInt64] = [:]
    /// True if the Period is published.
    private(set) var isPublished = false

    /// Creates the Period of a segment, without adding the segment.
    init(id: String, of segment: Rendition.Segment, origin: RationalTime, start: ManifestDuration) {
        self.id = id
        keyPeriod = segment.period
        isInClearLead = segment.isInClearLead
        self.origin = origin
        self.start = start
    }

    /// Returns whether a segment belongs to this Period or a later one with the same key. Timescales differ, so a
    /// segment may start up to a millisecond before the Period.
    func includes(_ segment: Rendition.Segment) -> Bool {
        fits(segment) && segment.start.seconds > origin.seconds - 0.001
    }

    /// Returns whether a segment has the same key as this Period, or is clear like this Period, whatever its start.
    func fits(_ segment: Rendition.Segment) -> Bool {
        keyPeriod == segment.period && isInClearLead == segment.isInClearLead
    }

    /// Returns whether the Period of a live presentation can be published: all renditions have a segment and a measured
    /// bandwidth, or one is so far ahead that the others are not expected.
    func isComplete(_ renditionCount: Int) -> Bool {
        let isMeasured = drafts.values.allSatisfy { part in
            bandwidths[part.rendition.folder] ?? 0 > 0 || part.segments.contains { !$0.isOpen }
        }
        return drafts.count == renditionCount && isMeasured || drafts.values.contains { $0.segments.count > 2 }
    }

    /// Adds a segment to a draft.
    ///
    /// - Parameter bandwidth: The bandwidth of the rendition measured so far, which the manifest must at least specify.
    mutating func add(_ segment: Rendition.Segment, of rendition: Rendition, at index: Int, bandwidth: UInt64) {
        drafts[index, default: Part(rendition: rendition)].segments.append(segment)
        bandwidths[rendition.folder] = bandwidth
    }

    /// Replaces the last segment of a rendition in a draft, of which more is available.
    mutating func replaceLast(_ segment: Rendition.Segment, of rendition: Rendition, at index: Int, bandwidth: UInt64) {
        drafts[index]?.segments.removeLast()
        add(segment, of: rendition, at: index, bandwidth: bandwidth)
    }

    /// Publishes the draft and returns its Period.
    ///
    /// - Throws: `SignalingError`.
    mutating func publish(_ options: PlaylistOptions) throws -> Period {
        isPublished = true
        let parts = drafts.keys.sorted().compactMap { drafts[$0] }
        drafts = [:]
        var period = try Period(id: id, start: start, origin: origin, parts, options)
        for (name, bandwidth) in bandwidths {
            period.change(name) { $0.bandwidth = max($0.bandwidth, bandwidth) }
        }
        return period
    }
}
