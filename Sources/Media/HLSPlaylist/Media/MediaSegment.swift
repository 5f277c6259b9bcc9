/// A Media Segment of a Media Playlist: its URI line and the tags before it (section 4.4.4).
///
/// Tags that a segment has only once are properties. The others are in ``tags``, in order, because the order of
/// EXT-X-KEY and EXT-X-MAP tags determines whether the Media Initialization Section is encrypted.
public struct MediaSegment: Sendable {
    /// The position of a segment in its source.
    struct Origin: Sendable {
        let source: PlaylistSource
        var start: UInt32
        var end: UInt32

        var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// The segment before an edited segment.
    private enum Predecessor: Sendable {
        /// The segment is the first one.
        case none
        /// The preceding segment was created in memory.
        case memory
        case read(source: PlaylistSource, end: UInt32)
    }

    /// A URI and a title that are not ranges of the source, because they were created, changed or substituted, and the
    /// segment that the segment follows since an edit.
    private final class OwnText: Sendable {
        let uri: String?
        let title: String?
        let predecessor: Predecessor?

        init(uri: String?, title: String?, predecessor: Predecessor? = nil) {
            self.uri = uri
            self.title = title
            self.predecessor = predecessor
        }
    }

    /// The source from which the segment was read; nil for a segment that was created in memory.
    let origin: Origin?
    // A playlist has many segments. Offsets into the source require neither allocations nor reference counting.
    private let uriRange: Range<UInt32>
    private let titleRange: Range<UInt32>
    private var ownText: OwnText?
    /// True if the segment was changed since it was read.
    private(set) var isEdited = false
    /// True if tags that apply to the whole playlist are among the lines of the segment.
    var containsPlaylistTags = false

    /// The duration in seconds (EXTINF).
    public var duration: Double { didSet { isEdited = true } }
    /// The byte range of the resource (EXT-X-BYTERANGE); nil for the whole resource.
    public var byteRange: ByteRange? { didSet { isEdited = true } }
    /// The date and time of the first sample (EXT-X-PROGRAM-DATE-TIME).
    public var programDateTime: PlaylistDate? { didSet { isEdited = true } }
    /// True if a discontinuity precedes the segment (EXT-X-DISCONTINUITY). If the segment has the tag more than once,
    /// the others are in ``tags``, and count too (section 6.2.1).
    public var isDiscontinuity: Bool { didSet { isEdited = true } }
    /// True if the segment is missing and must not be loaded (EXT-X-GAP).
    public var isGap: Bool { didSet { isEdited = true } }
    /// The keys, Media Initialization Sections, Partial Segments, Date Ranges, bit rates, unknown tags and comments, in
    /// order.
    public var tags: [SegmentTag] {
        get { tagsStorage }
        // A property observer would copy the array on each change of an element.
        _modify {
            isEdited = true
            yield &tagsStorage
        }
    }
    private var tagsStorage: [SegmentTag]

    /// Creates a segment; `duration` is in seconds.
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
    init(consuming draft: inout SegmentDraft, uri: Range<Int>, ownURI: String?, origin: Origin) {
        uriRange = UInt32(truncatingIfNeeded: uri.lowerBound)..<UInt32(truncatingIfNeeded: uri.upperBound)
        titleRange =
            UInt32(truncatingIfNeeded: draft.title.lowerBound)..<UInt32(truncatingIfNeeded: draft.title.upperBound)
        ownText = ownURI.map { OwnText(uri: $0, title: nil) }
        self.origin = origin
        containsPlaylistTags = draft.containsPlaylistTags
        duration = draft.duration
        byteRange = draft.byteRange
        programDateTime = draft.programDateTime
        isDiscontinuity = draft.isDiscontinuity
        isGap = draft.isGap
        tagsStorage = draft.removeTags()
        draft.reset()
    }

    /// The URI of the segment, which may be relative to the playlist.
    public var uri: String {
        get { ownText?.uri ?? text(uriRange) }
        set {
            ownText = OwnText(uri: newValue, title: ownText?.title, predecessor: ownText?.predecessor)
            isEdited = true
        }
    }

    /// The human-readable title; empty when there is none.
    public var title: String {
        get { ownText?.title ?? text(titleRange) }
        set {
            ownText = OwnText(uri: ownText?.uri, title: newValue, predecessor: ownText?.predecessor)
            isEdited = true
        }
    }

    /// Marks the segment as changed if it refers to variables, so that its lines are compared with its values when it
    /// is written.
    mutating func invalidateReferences() {
        if let origin, origin.source.hasReference(origin.range) { isEdited = true }
    }

    /// Prepares a segment of another playlist: its lines are compared with its values when it is written, and lines
    /// that are not about the segment are left out.
    mutating func detach() {
        containsPlaylistTags = false
        isEdited = true
    }

    /// Records that an edit has placed the segment after another one with all tags that it needs there.
    mutating func follow(_ previous: MediaSegment?) {
        ownText = OwnText(uri: ownText?.uri, title: ownText?.title, predecessor: Self.predecessor(previous))
    }

    private static func predecessor(_ previous: MediaSegment?) -> Predecessor {
        guard let previous else { return .none }
        return previous.origin.map { .read(source: $0.source, end: $0.end) } ?? .memory
    }

    /// Returns whether the segment follows the same segment as when it was read, or as after the last edit. A segment
    /// that was created in memory may follow any segment.
    func follows(_ previous: MediaSegment?, header: MediaPlaylist.Origin?) -> Bool {
        guard let origin else { return true }
        switch (ownText?.predecessor, Self.predecessor(previous)) {
        case (.some(.none), .none), (.memory, .memory): return true
        case (.read(let source, let end), .read(let actual, let actualEnd)) where source === actual && end == actualEnd:
            return true
        case (_, .read(let source, let end)): return source === origin.source && end == origin.start
        case (_, .none): return header?.source === origin.source && header?.header.upperBound == Int(origin.start)
        case (_, .memory): return false
        }
    }

    private func text(_ range: Range<UInt32>) -> String {
        origin?.source.text(Int(range.lowerBound)..<Int(range.upperBound)) ?? ""
    }
}

extension MediaSegment: Equatable {
    /// Returns whether both segments have the same content, regardless of their sources and formatting.
    public static func == (left: MediaSegment, right: MediaSegment) -> Bool {
        left.uri == right.uri && left.duration == right.duration && left.title == right.title
            && left.byteRange == right.byteRange && left.programDateTime == right.programDateTime
            && left.isDiscontinuity == right.isDiscontinuity && left.isGap == right.isGap && left.tags == right.tags
    }
}

extension MediaSegment: SegmentTags {}

/// The tags before the URI line of a segment that is not yet listed: the tags after the last segment of a playlist,
/// such as the parts of an incomplete segment.
public struct UpcomingSegment: Hashable, Sendable, SegmentTags {
    /// The date and time of the first sample.
    public var programDateTime: PlaylistDate?
    /// True if a discontinuity precedes the segment.
    public var isDiscontinuity: Bool
    /// True if the segment will be missing.
    public var isGap: Bool
    /// The byte range of the resource; nil for the whole resource.
    public var byteRange: ByteRange?
    /// The keys, Media Initialization Sections, Partial Segments, Date Ranges, bit rates, unknown tags and comments, in
    /// order.
    public var tags: [SegmentTag]

    /// Creates an upcoming segment.
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

/// A tag before a Media Segment that may appear more than once.
public indirect enum SegmentTag: Hashable, Sendable {
    /// The encryption of this segment and the following ones (EXT-X-KEY).
    case key(KeyTag)
    /// The Media Initialization Section of this segment and the following ones (EXT-X-MAP).
    case map(MapTag)
    /// The bit rate of this segment and the following ones, in kilobits per second (EXT-X-BITRATE).
    case bitrate(UInt64)
    /// A Date Range (EXT-X-DATERANGE).
    case dateRange(DateRangeTag)
    /// A Partial Segment of this segment (EXT-X-PART).
    case part(PartTag)
    /// A line that this library does not interpret: an unknown tag, a comment, or a tag that could not be parsed.
    case other(String)
}

/// A type with the tags of a segment, which provides access to the tags by type.
public protocol SegmentTags {
    /// The tags, in order.
    var tags: [SegmentTag] { get set }
}

extension SegmentTags {
    /// The EXT-X-KEY tags. Setting this property inserts the new tags at the position of the first old one; if there
    /// was no old one, in the order of writing.
    public var keys: [KeyTag] {
        get { tags.compactMap { if case .key(let tag) = $0 { tag } else { nil } } }
        set { replace(newValue.map { .key($0) }) { if case .key = $0 { true } else { false } } }
    }

    /// The last EXT-X-MAP tag of the segment. Setting this property inserts the new tag at the position of the first
    /// old one; without an old one, after the keys.
    public var map: MapTag? {
        get { tags.reversed().lazy.compactMap { if case .map(let tag) = $0 { tag } else { nil } }.first }
        set { replace(newValue.map { [.map($0)] } ?? []) { if case .map = $0 { true } else { false } } }
    }

    /// The Partial Segments. Setting this property inserts the new tags at the position of the first old one; if there
    /// was no old one, after all other tags.
    public var parts: [PartTag] {
        get { tags.compactMap { if case .part(let tag) = $0 { tag } else { nil } } }
        set { replace(newValue.map { .part($0) }) { if case .part = $0 { true } else { false } } }
    }

    /// The EXT-X-DATERANGE tags of the segment.
    public var dateRanges: [DateRangeTag] {
        get { tags.compactMap { if case .dateRange(let tag) = $0 { tag } else { nil } } }
        set { replace(newValue.map { .dateRange($0) }) { if case .dateRange = $0 { true } else { false } } }
    }

    private mutating func replace(_ new: [SegmentTag], where matches: (SegmentTag) -> Bool) {
        guard new.first != nil || tags.contains(where: matches) else { return }
        var result = tags
        let position = result.firstIndex(where: matches)
        result.removeAll(where: matches)
        if let position {
            result.insert(contentsOf: new, at: position)
        } else if let first = new.first {
            result.insert(contentsOf: new, at: result.firstIndex { $0.rank > first.rank } ?? result.endIndex)
        }
        tags = result
    }
}

extension SegmentTag {
    /// True if the tag is an EXT-X-DISCONTINUITY tag in addition to the segment's first one.
    var isDiscontinuity: Bool {
        if case .other(let line) = self { line == "#" + TagName.discontinuity.rawValue } else { false }
    }

    /// The rank of the tag in the order of writing, which applies when no other order does.
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

/// The state of a segment while its lines are parsed.
struct SegmentDraft {
    /// The offset of the first line of the segment; -1 when there is none yet.
    var start = -1
    var duration = 0.0
    var hasDuration = false
    /// The line number of the EXTINF tag.
    var durationLine = 0
    /// The range of the title.
    var title = 0..<0
    var byteRange: ByteRange?
    var programDateTime: PlaylistDate?
    var isDiscontinuity = false
    var isGap = false
    var containsPlaylistTags = false
    var tags: [SegmentTag] = []

    /// Removes and returns the tags. Most segments have none.
    @inline(__always)
    mutating func removeTags() -> [SegmentTag] {
        guard !tags.isEmpty else { return [] }
        let result = tags
        tags = []
        return result
    }

    /// Resets all properties except the tags for the next segment.
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
        containsPlaylistTags = false
    }
}
