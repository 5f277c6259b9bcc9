import DASHManifest
import HLSPlaylist

/// A Period of a live manifest: a draft until all renditions have a segment in it, since the sets of a Period that players
/// know do not change.
struct LivePeriod: Sendable {
    /// What the manifest calls it; no other Period has had that name.
    let id: String
    /// The number of its key period, and whether it lies in the clear lead.
    private let keyPeriod: Int
    private let isInLead: Bool
    /// When its first segment begins, in the media.
    private let origin: MediaTime
    /// When it begins, counted from availabilityStartTime.
    private let start: ManifestDuration
    /// Renditions with the segments that have come, by their places.
    private var drafts: [Int: ManifestPeriod.Part] = [:]
    private var bandwidths: [String: UInt64] = [:]
    /// Whether players know it.
    private(set) var isShown = false

    /// Begins where a segment begins, without it.
    init(id: String, beginningWith place: LiveSegment.Place, start: ManifestDuration) {
        self.id = id
        keyPeriod = place.period
        isInLead = place.isInLead
        origin = place.start
        self.start = start
    }

    /// Whether a segment lies in it or behind it. Timescales differ, so that a millisecond before it is in it.
    func takes(_ place: LiveSegment.Place) -> Bool { fits(place) && place.start.seconds > origin.seconds - 0.001 }

    /// Whether a segment has a key of this Period, or none as all here, whenever it begins.
    func fits(_ place: LiveSegment.Place) -> Bool { keyPeriod == place.period && isInLead == place.isInLead }

    /// Whether it is time to show it: it has all renditions, or one is so far ahead that the others will not come.
    func isComplete(_ renditionCount: Int) -> Bool {
        drafts.count == renditionCount || drafts.values.contains { $0.segments.count > 2 }
    }

    /// Takes a segment as long as it is a draft.
    mutating func add(
        _ segment: LiveSegment,
        _ place: LiveSegment.Place,
        of rendition: Rendition,
        at index: Int,
        bandwidth: UInt64
    ) {
        var part = drafts[index] ?? Self.part(rendition, segment, place)
        part.rendition.segments.append(
            Rendition.Segment(
                resource: Rendition.Resource(uri: segment.entry.uri),
                byteCount: segment.entry.byteCount ?? 0,
                duration: MediaTime(Int64(clamping: place.duration), timescale: place.start.timescale),
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
        _ place: LiveSegment.Place
    ) -> ManifestPeriod.Part {
        var rendition = rendition
        rendition.protection = place.protection
        rendition.initialization = segment.entry.map.map { Rendition.Resource(uri: $0.uri) }
        return ManifestPeriod.Part(
            rendition: rendition,
            segments: 0..<0,
            start: place.start,
            isProtected: place.protection != nil,
            number: place.period,
            firstNumber: place.number
        )
    }

    /// What players get to know of it.
    ///
    /// - Throws: `SignalingError`.
    mutating func show(_ options: PlaylistOptions) throws -> Period {
        isShown = true
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
