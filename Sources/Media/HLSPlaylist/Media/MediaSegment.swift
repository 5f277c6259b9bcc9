/// A media segment of a Media Playlist: its URI line and the tags that stand before it (section 4.4.4).
///
/// The tags of which a segment has one each are properties. The others stand in ``tags``, in their order: whether an
/// EXT-X-KEY tag comes before or after an EXT-X-MAP tag decides whether that section is encrypted.
public struct MediaSegment: Sendable {
    /// Where in a source it stands.
    struct Origin: Sendable {
        let source: PlaylistSource
        var start: UInt32
        var end: UInt32

        var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// URI and title that do not stand in the source as they are: made, changed, or with variables replaced.
    private final class OwnText: Sendable {
        let uri: String?
        let title: String?

        init(uri: String?, title: String?) {
            self.uri = uri
            self.title = title
        }
    }

    /// Where it was read; nil when it was made.
    let origin: Origin?
    // A playlist has many segments. Offsets into the source cost neither an allocation nor a count of references.
    private let uriRange: Range<UInt32>
    private let titleRange: Range<UInt32>
    private var ownText: OwnText?
    /// Whether it differs from what was read.
    private(set) var isEdited = false
    /// Whether tags of the playlist as a whole stand among its lines.
    var holdsPlaylistTags = false

    /// How long it is, in seconds: EXTINF.
    public var duration: Double { didSet { isEdited = true } }
    /// Which bytes of the resource; nil for all of them: EXT-X-BYTERANGE.
    public var byteRange: ByteRange? { didSet { isEdited = true } }
    /// When its first sample was made: EXT-X-PROGRAM-DATE-TIME.
    public var programDateTime: PlaylistDate? { didSet { isEdited = true } }
    /// Whether a discontinuity comes before it: EXT-X-DISCONTINUITY. If the tag stands there more than once, the others are
    /// among ``tags``, and count (section 6.2.1).
    public var isDiscontinuity: Bool { didSet { isEdited = true } }
    /// Whether it is missing, and must not be loaded: EXT-X-GAP.
    public var isGap: Bool { didSet { isEdited = true } }
    /// Keys, media initialization sections, partial segments, date ranges, bit rates, unknown tags and comments, in
    /// order.
    public var tags: [SegmentTag] {
        get { tagsStorage }
        // An observer would copy the array for each change of an element.
        _modify {
            isEdited = true
            yield &tagsStorage
        }
    }
    private var tagsStorage: [SegmentTag]

    /// Makes a segment; `duration` is in seconds.
    public init(
        uri: String,
        duration: Double,
        title: String = "",
        byteRange: ByteRange? = nil,
        programDateTime: PlaylistDate? = nil,
        isDiscontinuity: Bool = false,
        isGap: Bool = false,
        tags: [SegmentTag] = []
    ) {
        ownText = OwnText(uri: uri, title: title)
        uriRange = 0..<0
        titleRange = 0..<0
        origin = nil
        self.duration = duration
        self.byteRange = byteRange
        self.programDateTime = programDateTime
        self.isDiscontinuity = isDiscontinuity
        self.isGap = isGap
        tagsStorage = tags
    }

    @inline(__always)
    init(taking draft: inout SegmentDraft, uri: Range<Int>, ownURI: String?, origin: Origin) {
        uriRange = UInt32(truncatingIfNeeded: uri.lowerBound)..<UInt32(truncatingIfNeeded: uri.upperBound)
        titleRange =
            UInt32(truncatingIfNeeded: draft.title.lowerBound)..<UInt32(truncatingIfNeeded: draft.title.upperBound)
        ownText = ownURI.map { OwnText(uri: $0, title: nil) }
        self.origin = origin
        holdsPlaylistTags = draft.holdsPlaylistTags
        duration = draft.duration
        byteRange = draft.byteRange
        programDateTime = draft.programDateTime
        isDiscontinuity = draft.isDiscontinuity
        isGap = draft.isGap
        tagsStorage = draft.takeTags()
        draft.reset()
    }

    /// Where it is, relative to the playlist or absolute.
    public var uri: String {
        get { ownText?.uri ?? text(uriRange) }
        set {
            ownText = OwnText(uri: newValue, title: ownText?.title)
            isEdited = true
        }
    }

    /// A title for people; empty when there is none.
    public var title: String {
        get { ownText?.title ?? text(titleRange) }
        set {
            ownText = OwnText(uri: ownText?.uri, title: newValue)
            isEdited = true
        }
    }

    /// Has its lines compared with its values when it is written.
    mutating func readAgain() {
        if let origin, origin.source.hasReference(origin.range) { isEdited = true }
    }

    private func text(_ range: Range<UInt32>) -> String {
        origin?.source.text(Int(range.lowerBound)..<Int(range.upperBound)) ?? ""
    }
}

extension MediaSegment: Equatable {
    /// Whether both say the same; where and how they were written does not matter.
    public static func == (left: MediaSegment, right: MediaSegment) -> Bool {
        left.uri == right.uri && left.duration == right.duration && left.title == right.title
            && left.byteRange == right.byteRange && left.programDateTime == right.programDateTime
            && left.isDiscontinuity == right.isDiscontinuity && left.isGap == right.isGap && left.tags == right.tags
    }
}

extension MediaSegment: SegmentTags {}

/// What stands before the URI line of a segment that is not there yet: the tags after the last segment of a playlist,
/// such as the parts of a segment that is being made.
public struct UpcomingSegment: Hashable, Sendable, SegmentTags {
    /// When its first sample was made.
    public var programDateTime: PlaylistDate?
    /// Whether a discontinuity comes before it.
    public var isDiscontinuity: Bool
    /// Whether it will be missing.
    public var isGap: Bool
    /// Which bytes of the resource it will be; nil for all of them.
    public var byteRange: ByteRange?
    /// Keys, media initialization sections, partial segments, date ranges, bit rates, unknown tags and comments, in
    /// order.
    public var tags: [SegmentTag]

    /// Makes one.
    public init(
        programDateTime: PlaylistDate? = nil,
        isDiscontinuity: Bool = false,
        isGap: Bool = false,
        byteRange: ByteRange? = nil,
        tags: [SegmentTag] = []
    ) {
        self.programDateTime = programDateTime
        self.isDiscontinuity = isDiscontinuity
        self.isGap = isGap
        self.byteRange = byteRange
        self.tags = tags
    }
}

/// A tag before a media segment, of which there can be several.
public indirect enum SegmentTag: Hashable, Sendable {
    /// How this segment and those after it are encrypted.
    case key(KeyTag)
    /// The media initialization section of this segment and those after it.
    case map(MapTag)
    /// The bit rate of this segment and those after it, in kilobits per second.
    case bitrate(UInt64)
    /// A range of time.
    case dateRange(DateRangeTag)
    /// A partial segment of this segment.
    case part(PartTag)
    /// A line that says nothing to this library: an unknown tag, a comment, or a tag that could not be read.
    case other(String)
}

/// Ways to reach the tags before a segment.
public protocol SegmentTags {
    /// The tags, in order.
    var tags: [SegmentTag] { get set }
}

extension SegmentTags {
    /// The EXT-X-KEY tags. Setting them puts the new ones where the first stood, or else before all other tags.
    public var keys: [KeyTag] {
        get { tags.compactMap { if case .key(let tag) = $0 { tag } else { nil } } }
        set { replace(newValue.map { .key($0) }) { if case .key = $0 { true } else { false } } }
    }

    /// The media initialization section that is declared here; the last one, if there are several. Setting it puts it
    /// where the first stood, or else behind the keys.
    public var map: MapTag? {
        get { tags.reversed().lazy.compactMap { if case .map(let tag) = $0 { tag } else { nil } }.first }
        set { replace(newValue.map { [.map($0)] } ?? []) { if case .map = $0 { true } else { false } } }
    }

    /// The partial segments. Setting them puts the new ones where the first stood, or else behind all other tags.
    public var parts: [PartTag] {
        get { tags.compactMap { if case .part(let tag) = $0 { tag } else { nil } } }
        set { replace(newValue.map { .part($0) }) { if case .part = $0 { true } else { false } } }
    }

    /// The date ranges that stand here.
    public var dateRanges: [DateRangeTag] {
        get { tags.compactMap { if case .dateRange(let tag) = $0 { tag } else { nil } } }
        set { replace(newValue.map { .dateRange($0) }) { if case .dateRange = $0 { true } else { false } } }
    }

    private mutating func replace(_ new: [SegmentTag], where matches: (SegmentTag) -> Bool) {
        guard new.first != nil || tags.contains(where: matches) else { return }
        var result = tags
        let place = result.firstIndex(where: matches)
        result.removeAll(where: matches)
        if let place {
            result.insert(contentsOf: new, at: place)
        } else if let first = new.first {
            result.insert(contentsOf: new, at: result.firstIndex { $0.rank > first.rank } ?? result.endIndex)
        }
        tags = result
    }
}

extension SegmentTag {
    /// Whether it is another EXT-X-DISCONTINUITY tag beside the segment's first.
    var isDiscontinuity: Bool {
        if case .other(let line) = self { line == "#" + TagName.discontinuity.rawValue } else { false }
    }

    /// The order in which tags are written that nothing else orders.
    var rank: Int {
        switch self {
        case .other: 0
        case .key: 1
        case .map: 2
        case .bitrate: 3
        case .dateRange: 4
        case .part: 5
        }
    }
}

/// A segment while its lines are read.
struct SegmentDraft {
    /// The offset of the first of its lines; -1 when there is none yet.
    var start = -1
    var duration = 0.0
    var hasDuration = false
    /// The line of the EXTINF tag.
    var durationLine = 0
    /// Where its title stands.
    var title = 0..<0
    var byteRange: ByteRange?
    var programDateTime: PlaylistDate?
    var isDiscontinuity = false
    var isGap = false
    var holdsPlaylistTags = false
    var tags: [SegmentTag] = []

    /// The tags, moved out. Most segments have none.
    @inline(__always)
    mutating func takeTags() -> [SegmentTag] {
        guard !tags.isEmpty else { return [] }
        let result = tags
        tags = []
        return result
    }

    /// Begins the next segment; the tags have been taken.
    @inline(__always)
    mutating func reset() {
        start = -1
        duration = 0
        hasDuration = false
        durationLine = 0
        title = 0..<0
        byteRange = nil
        programDateTime = nil
        isDiscontinuity = false
        isGap = false
        holdsPlaylistTags = false
    }
}
