/// A Media Playlist: Media Segments, and the tags that apply to all of them (section 4.4.3).
///
/// Lines that were read and not changed are written back byte for byte. Changed lines are written in the form and at
/// the position that the draft specifies.
public struct MediaPlaylist: Sendable {
    /// The source from which the playlist was read; nil for a playlist that was created in memory.
    var origin: Origin?
    /// True if a property was changed.
    var isEdited = false

    struct Origin: Sendable {
        let source: PlaylistSource
        /// The range of the lines before the first tag of a segment.
        var header: Range<Int>
        /// The range of the lines after the last URI line.
        var trailer: Range<Int>
        /// True if the source has EXT-X-TARGETDURATION, even if its value is 0.
        let hasTargetDuration: Bool
    }

    /// The protocol version (EXT-X-VERSION); nil when the tag is absent.
    public var version: UInt64? { didSet { isEdited = true } }
    /// True if every segment can be decoded independently of other segments (EXT-X-INDEPENDENT-SEGMENTS).
    public var isIndependentSegments = false { didSet { isEdited = true } }
    /// The preferred start position (EXT-X-START).
    public var start: StartTag? { didSet { isEdited = true } }
    /// The variable definitions (EXT-X-DEFINE), in order.
    public var defines: [DefineTag] = [] { didSet { isEdited = true } }
    /// The Target Duration in seconds, which no segment duration, rounded to the nearest second, exceeds. 0 when the
    /// tag is missing.
    public var targetDuration: UInt64 { didSet { isEdited = true } }
    /// The Media Sequence Number of the first segment (EXT-X-MEDIA-SEQUENCE); nil, which means 0, when the tag is
    /// absent.
    public var mediaSequence: UInt64? { didSet { isEdited = true } }
    /// The Discontinuity Sequence Number of the first segment (EXT-X-DISCONTINUITY-SEQUENCE); nil, which means 0, when
    /// the tag is absent.
    public var discontinuitySequence: UInt64? { didSet { isEdited = true } }
    /// The playlist type, which restricts changes of the playlist (EXT-X-PLAYLIST-TYPE).
    public var playlistType: PlaylistType? { didSet { isEdited = true } }
    /// True if every segment is a single I-frame (EXT-X-I-FRAMES-ONLY).
    public var isIFramesOnly = false { didSet { isEdited = true } }
    /// Information about the Partial Segments (EXT-X-PART-INF).
    public var partInf: PartInfTag? { didSet { isEdited = true } }
    /// The delivery directives that the server supports (EXT-X-SERVER-CONTROL).
    public var serverControl: ServerControlTag? { didSet { isEdited = true } }
    /// The segments that a delta update skips (EXT-X-SKIP); nil in a full playlist.
    public var skip: SkipTag? { didSet { isEdited = true } }
    /// Unknown tags and comments before the first segment, in order.
    public var otherLines: [String] = [] { didSet { isEdited = true } }
    /// The Media Segments.
    ///
    /// A key, a Media Initialization Section or a date may be a tag of an earlier segment. Remove, insert or replace
    /// segments with ``removeFirst(_:)``, ``trim(to:)``, ``append(_:)``, ``replaceSegments(_:with:)`` and
    /// ``splice(_:at:from:)``, which preserve them. If a direct change of the array loses them, ``write()`` throws.
    public var segments: [MediaSegment] {
        get { segmentsStorage }
        // A property observer would copy the array on each change of an element.
        _modify {
            isEdited = true
            yield &segmentsStorage
        }
    }
    private var segmentsStorage: [MediaSegment]
    /// The tags after the last segment.
    public var upcoming = UpcomingSegment() { didSet { isEdited = true } }
    /// The hints about resources that will be available soon (EXT-X-PRELOAD-HINT).
    public var preloadHints: [PreloadHintTag] = [] { didSet { isEdited = true } }
    /// The reports about the last segments of other renditions (EXT-X-RENDITION-REPORT).
    public var renditionReports: [RenditionReportTag] = [] { didSet { isEdited = true } }
    /// True if no more segments will be added (EXT-X-ENDLIST).
    public var isEnded = false { didSet { isEdited = true } }

    /// True if new or changed integer durations are written with a decimal point (`6.0`), which indicates that they are
    /// exact and not rounded (section 4.4.4.1). This requires version 3. The property is not compared by `==`.
    public var marksExactDurations = false

    /// The values of the variables that were read.
    public internal(set) var variables: [String: String] = [:]

    /// Creates a playlist; `targetDuration` is in seconds.
    public init(version: UInt64? = nil, targetDuration: UInt64, segments: [MediaSegment] = []) {
        self.version = version
        self.targetDuration = targetDuration
        segmentsStorage = segments
    }

    /// Parses a Media Playlist as players do: what violates a rule of the format costs as little as possible.
    ///
    /// - Throws: ``PlaylistError`` with ``RuleID/mixedPlaylistKinds`` for a Multivariant Playlist, and the errors of
    ///   ``Playlist/init(parsing:options:)-([UInt8],_)``.
    public init(parsing bytes: [UInt8], options: ParsingOptions = ParsingOptions()) throws(PlaylistError) {
        try self.init(Playlist(parsing: bytes, options: options))
    }

    /// Parses a Media Playlist strictly.
    ///
    /// - Throws: ``PlaylistError`` with the first error, or ``RuleID/mixedPlaylistKinds`` for a Multivariant Playlist.
    public init(strictlyParsing bytes: [UInt8], options: ParsingOptions = ParsingOptions()) throws(PlaylistError) {
        try self.init(Playlist(strictlyParsing: bytes, options: options))
    }

    private init(_ playlist: Playlist) throws(PlaylistError) {
        guard case .media(let playlist) = playlist else {
            throw PlaylistError(
                Diagnostic(
                    rule: .mixedPlaylistKinds,
                    severity: .error,
                    line: 0,
                    message: "the playlist is a Multivariant Playlist, not a Media Playlist"
                )
            )
        }
        self = playlist
    }

    /// The total duration of the segments, in seconds.
    public var duration: Double { segments.reduce(0) { $0 + $1.duration } }
}

extension MediaPlaylist: Equatable {
    /// Returns whether both playlists have the same content, regardless of their sources and formatting.
    public static func == (left: MediaPlaylist, right: MediaPlaylist) -> Bool {
        left.version == right.version && left.isIndependentSegments == right.isIndependentSegments
            && left.start == right.start && left.defines == right.defines && left.targetDuration == right.targetDuration
            && left.mediaSequence == right.mediaSequence && left.discontinuitySequence == right.discontinuitySequence
            && left.playlistType == right.playlistType && left.isIFramesOnly == right.isIFramesOnly
            && left.partInf == right.partInf && left.serverControl == right.serverControl && left.skip == right.skip
            && left.otherLines == right.otherLines && left.upcoming == right.upcoming
            && left.preloadHints == right.preloadHints && left.renditionReports == right.renditionReports
            && left.isEnded == right.isEnded && left.segments == right.segments
    }
}

extension MediaPlaylist {
    /// The tags that apply to the whole playlist, created from the properties, in the order in which they are written.
    var headerTags: [PlaylistTag] {
        var tags: [PlaylistTag] = []
        if let version { tags.append(.version(version)) }
        if isIndependentSegments { tags.append(.independentSegments) }
        if let start { tags.append(.start(start)) }
        tags += defines.map { .define($0) }
        if targetDuration > 0 || origin?.hasTargetDuration == true { tags.append(.targetDuration(targetDuration)) }
        if let mediaSequence { tags.append(.mediaSequence(mediaSequence)) }
        if let discontinuitySequence { tags.append(.discontinuitySequence(discontinuitySequence)) }
        if let playlistType { tags.append(.playlistType(playlistType)) }
        if isIFramesOnly { tags.append(.iFramesOnly) }
        if let partInf { tags.append(.partInf(partInf)) }
        if let serverControl { tags.append(.serverControl(serverControl)) }
        if let skip { tags.append(.skip(skip)) }
        return tags
    }

    /// The tags that apply to the whole playlist and are written at its end.
    var trailerTags: [PlaylistTag] {
        preloadHints.map { .preloadHint($0) } + renditionReports.map { .renditionReport($0) }
            + (isEnded ? [.endList] : [])
    }

    /// Stores a tag that applies to the whole playlist. Returns false for any other tag.
    mutating func store(_ tag: PlaylistTag) -> Bool {
        switch tag {
        case .version(let value): version = value
        case .independentSegments: isIndependentSegments = true
        case .start(let value): start = value
        case .define(let value): defines.append(value)
        case .targetDuration(let value): targetDuration = value
        case .mediaSequence(let value): mediaSequence = value
        case .discontinuitySequence(let value): discontinuitySequence = value
        case .playlistType(let value): playlistType = value
        case .iFramesOnly: isIFramesOnly = true
        case .partInf(let value): partInf = value
        case .serverControl(let value): serverControl = value
        case .skip(let value): skip = value
        case .preloadHint(let value): preloadHints.append(value)
        case .renditionReport(let value): renditionReports.append(value)
        case .endList: isEnded = true
        default: return false
        }
        return true
    }
}
