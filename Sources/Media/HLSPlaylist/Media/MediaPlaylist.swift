/// A Media Playlist: media segments, and what holds for all of them (section 4.4.3).
///
/// What was read and not changed is written back byte for byte. What was changed is written in the form and the place
/// that the draft gives it.
public struct MediaPlaylist: Sendable {
    /// Where it was read; nil when it was made.
    var origin: Origin?
    /// Whether anything was changed.
    var isEdited = false

    struct Origin: Sendable {
        let source: PlaylistSource
        /// The lines before the first tag of a segment.
        var header: Range<Int>
        /// The lines after the last URI line.
        var trailer: Range<Int>
        /// Whether it had a target duration, be it 0.
        let hasTargetDuration: Bool
    }

    /// The protocol version; nil when the tag is absent: EXT-X-VERSION.
    public var version: UInt64? { didSet { isEdited = true } }
    /// Whether every segment can be decoded without another: EXT-X-INDEPENDENT-SEGMENTS.
    public var isIndependentSegments = false { didSet { isEdited = true } }
    /// Where to start playing.
    public var start: StartTag? { didSet { isEdited = true } }
    /// The variables, in order.
    public var defines: [DefineTag] = [] { didSet { isEdited = true } }
    /// The target duration in seconds: no segment is longer, rounded to the nearest second. 0 when the tag is missing.
    public var targetDuration: UInt64 { didSet { isEdited = true } }
    /// The media sequence number of the first segment; nil, which means 0, when the tag is absent.
    public var mediaSequence: UInt64? { didSet { isEdited = true } }
    /// The discontinuity sequence number of the first segment; nil, which means 0, when the tag is absent.
    public var discontinuitySequence: UInt64? { didSet { isEdited = true } }
    /// How the playlist may change.
    public var playlistType: PlaylistType? { didSet { isEdited = true } }
    /// Whether every segment is one I-frame.
    public var isIFramesOnly = false { didSet { isEdited = true } }
    /// About partial segments.
    public var partInf: PartInfTag? { didSet { isEdited = true } }
    /// What the server supports.
    public var serverControl: ServerControlTag? { didSet { isEdited = true } }
    /// What a delta update leaves out; nil in a whole playlist.
    public var skip: SkipTag? { didSet { isEdited = true } }
    /// Unknown tags and comments before the first segment, in order.
    public var otherLines: [String] = [] { didSet { isEdited = true } }
    /// The media segments.
    public var segments: [MediaSegment] {
        get { segmentsStorage }
        // An observer would copy the array for each change of an element.
        _modify {
            isEdited = true
            yield &segmentsStorage
        }
    }
    private var segmentsStorage: [MediaSegment]
    /// The tags after the last segment.
    public var upcoming = UpcomingSegment() { didSet { isEdited = true } }
    /// Resources that will be there soon.
    public var preloadHints: [PreloadHintTag] = [] { didSet { isEdited = true } }
    /// How far other renditions are.
    public var renditionReports: [RenditionReportTag] = [] { didSet { isEdited = true } }
    /// Whether no segment will be added: EXT-X-ENDLIST.
    public var isEnded = false { didSet { isEdited = true } }

    /// Whether durations of whole seconds are written with a decimal point (`6.0`) where they are written anew: they are
    /// exact, and not rounded (section 4.4.4.1). It needs version 3, and is no part of what the playlist says.
    public var marksExactDurations = false

    /// The values of the variables that were read; a Media Playlist that is reached from here may import them.
    public internal(set) var variables: [String: String] = [:]

    /// Makes a playlist; `targetDuration` is in seconds.
    public init(version: UInt64? = nil, targetDuration: UInt64, segments: [MediaSegment] = []) {
        self.version = version
        self.targetDuration = targetDuration
        segmentsStorage = segments
    }

    /// Reads a Media Playlist strictly.
    ///
    /// - Throws: ``PlaylistError`` with the first error, or ``RuleID/mixedPlaylistKinds`` for a Multivariant Playlist.
    public init(parsing bytes: [UInt8], options: ParsingOptions = ParsingOptions()) throws(PlaylistError) {
        guard case .media(let playlist) = try Playlist(parsing: bytes, options: options) else {
            throw PlaylistError(
                Diagnostic(
                    rule: .mixedPlaylistKinds,
                    severity: .error,
                    line: 0,
                    message: "this is not a Media Playlist"
                )
            )
        }
        self = playlist
    }

    /// The sum of the durations of the segments, in seconds.
    public var duration: Double { segments.reduce(0) { $0 + $1.duration } }
}

extension MediaPlaylist: Equatable {
    /// Whether both say the same; where and how they were written does not matter.
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
    /// The tags that hold for the playlist as a whole, as the properties have them, in the order in which they are
    /// written.
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

    /// The tags that hold for the playlist as a whole and are written at its end.
    var trailerTags: [PlaylistTag] {
        preloadHints.map { .preloadHint($0) } + renditionReports.map { .renditionReport($0) }
            + (isEnded ? [.endList] : [])
    }

    /// Takes a tag that holds for the playlist as a whole; false when it is none.
    mutating func take(_ tag: PlaylistTag) -> Bool {
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
