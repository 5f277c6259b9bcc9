/// A playlist to check: its bytes, its lines, and the parsed playlist.
public struct LintFile: Sendable {
    /// The path or URL of the playlist.
    public let name: String
    /// The playlist, parsed leniently.
    public let playlist: Playlist
    /// The lines of the playlist.
    public let lines: [PlaylistLine]
    /// The diagnostics of the reader.
    public let diagnostics: [Diagnostic]
    let bytes: [UInt8]
    /// The EXT-X-KEY and EXT-X-SESSION-KEY tags with their lines. Tags whose METHOD the draft does not define are left
    /// out, because clients ignore them.
    let keys: [(tag: KeyTag, line: PlaylistLine)]
    /// The tags that the reader rejected. Rules about missing tags count them as present, because the reader has
    /// already reported them.
    let refusedTags: Set<TagName>
    /// The lines with EXT-X-PROGRAM-DATE-TIME and EXT-X-DATERANGE.
    let dateLines: [PlaylistLine]
    /// The lines with #EXTM3U.
    let headerLines: [PlaylistLine]

    /// Parses a playlist leniently.
    ///
    /// - Parameter name: The path or URL of the playlist. The URIs of other playlists are resolved against it.
    /// - Throws: ``PlaylistError`` with ``RuleID/limitExceeded`` when the playlist exceeds one of ``PlaylistLimits``.
    ///   No other error is thrown.
    public init(name: String, bytes: [UInt8], options: ParsingOptions = ParsingOptions()) throws(PlaylistError) {
        self.name = name
        self.bytes = bytes
        (playlist, diagnostics) = try Playlist.parseLeniently(bytes, options: options)
        lines = try Playlist.lines(of: bytes, options: options)
        var keys: [(tag: KeyTag, line: PlaylistLine)] = []
        var refusedTags: Set<TagName> = []
        var dateLines: [PlaylistLine] = []
        var headerLines: [PlaylistLine] = []
        for line in lines {
            switch line.content {
            case .tag(.key(let key)) where key.method.isDefined: keys.append((key, line))
            case .tag(.sessionKey(let session)) where session.key.method.isDefined: keys.append((session.key, line))
            case .tag(.programDateTime), .tag(.dateRange): dateLines.append(line)
            case .tag(.extM3U): headerLines.append(line)
            case .refused(let name): refusedTags.insert(name)
            default: break
            }
        }
        self.keys = keys
        self.refusedTags = refusedTags
        self.dateLines = dateLines
        self.headerLines = headerLines
    }

    /// True if rules other than the syntax rules can be applied to the playlist.
    var isCheckable: Bool {
        !diagnostics.contains { $0.rule == .mixedPlaylistKinds || $0.rule == .missingExtM3U }
    }

    /// The first line that contains the tag; nil when there is none.
    func line(of name: TagName) -> PlaylistLine? {
        lines.first { if case .tag(let tag) = $0.content { tag.name == name } else { false } }
    }

    /// Returns whether a line contains the tag, but the reader rejected it.
    func isRefused(_ name: TagName) -> Bool { refusedTags.contains(name) }

    /// Returns whether a line contains the tag, even if the reader rejected the tag.
    func has(_ name: TagName) -> Bool { isRefused(name) || line(of: name) != nil }
}

/// A Media Playlist to check.
struct MediaSubject: Sendable {
    let file: LintFile
    let playlist: MediaPlaylist
    /// The segments in order, each with its lines.
    let segments: [Segment]
    /// The lines after the last URI line.
    let rest: [PlaylistLine]
    /// The EXT-X-MAP tags, each with its line and the keys that apply to it.
    let maps: [(tag: MapTag, line: PlaylistLine, keys: [(tag: KeyTag, line: PlaylistLine)])]
    /// The positions where the set of keys or the EXT-X-MAP that applies to media changes.
    let encryptionChanges: [EncryptionChange]
    var lines: [PlaylistLine] { file.lines }

    /// A media segment with its lines.
    struct Segment: Sendable {
        let index: Int
        let segment: MediaSegment
        let mediaSequenceNumber: UInt64
        let discontinuitySequenceNumber: UInt64
        /// The lines of the tags between the previous segment and this one. Those of the first segment include the
        /// playlist's header.
        let tagLines: [PlaylistLine]
        let uriLine: PlaylistLine
        /// The keys that apply to it, each with its line.
        let keys: [(tag: KeyTag, line: PlaylistLine)]
        /// The EXT-X-MAP tag that applies to it, with its line and the keys that apply to the map.
        let map: (tag: MapTag, line: PlaylistLine, keys: [(tag: KeyTag, line: PlaylistLine)])?
        /// Its byte range; nil for the whole resource, or when the start of the range is unknown.
        let byteRange: Range<UInt64>?

        /// The line of the first tag with the name among the tags of the segment; nil when there is none.
        func line(of name: TagName) -> PlaylistLine? {
            tagLines.first { if case .tag(let tag) = $0.content { tag.name == name } else { false } }
        }
    }

    /// The first segment, or the first Partial Segment, after a change of the keys or of the map.
    struct EncryptionChange: Sendable {
        /// The line of the URI, or of the EXT-X-PART tag.
        let line: PlaylistLine
        let isSegment: Bool
        /// The keys that apply to it, each with its line, in the order of the lines.
        let keys: [(tag: KeyTag, line: PlaylistLine)]
        /// The number of keys, counted from the first, that also apply to the preceding segment or Partial Segment.
        let oldKeys: Int
        /// The EXT-X-MAP tag that applies to it, with its line and the keys that apply to the map.
        let map: (tag: MapTag, line: PlaylistLine, keys: [(tag: KeyTag, line: PlaylistLine)])?
        /// True if no preceding segment or Partial Segment uses the map.
        let isMapNew: Bool
    }

    /// The largest number of keys that are tracked at one position. No real playlist has as many key formats. Without
    /// this limit, the time for a playlist with many keys would be quadratic in their number.
    static let maximumKeyCount = 64

    /// True if the playlist lists all of its segments. A delta update leaves out the oldest ones.
    var isFull: Bool { playlist.skip == nil }
    /// The Target Duration in seconds; nil when it is missing or 0.
    var targetDuration: Double? { playlist.targetDuration > 0 ? Double(playlist.targetDuration) : nil }

    init?(_ file: LintFile) {
        guard case .media(let playlist) = file.playlist else { return nil }
        self.file = file
        self.playlist = playlist
        var builder = SegmentBuilder(playlist)
        for line in file.lines { builder.append(line) }
        segments = builder.segments
        rest = builder.tagLines
        maps = builder.maps
        encryptionChanges = builder.changes
    }
}

/// Matches the segments of a playlist with their lines.
private struct SegmentBuilder {
    let playlist: MediaPlaylist
    var segments: [MediaSubject.Segment] = []
    var tagLines: [PlaylistLine] = []
    var keys: [(tag: KeyTag, line: PlaylistLine)] = []
    var map: (tag: MapTag, line: PlaylistLine, keys: [(tag: KeyTag, line: PlaylistLine)])?
    var sequence: UInt64
    var discontinuity: UInt64
    var previous: (uri: String, end: UInt64)?
    var maps: [(tag: MapTag, line: PlaylistLine, keys: [(tag: KeyTag, line: PlaylistLine)])] = []
    var changes: [MediaSubject.EncryptionChange] = []
    /// True if the keys or the map have changed since the last segment.
    var isChangedSinceSegment = true
    /// True if the keys or the map have changed since the last segment or Partial Segment.
    var isChangedSincePart = true
    var oldKeys = 0
    var isMapNew = false

    init(_ playlist: MediaPlaylist) {
        self.playlist = playlist
        sequence = (playlist.mediaSequence ?? 0) &+ (playlist.skip?.skippedSegments ?? 0)
        discontinuity = playlist.discontinuitySequence ?? 0
        segments.reserveCapacity(playlist.segments.count)
    }

    mutating func append(_ line: PlaylistLine) {
        switch line.content {
        case .uri:
            recordChange(line, isSegment: true)
            finish(line)
        case .tag(let tag):
            tagLines.append(line)
            switch tag {
            case .key(let key) where key.method.isDefined: apply(key, line)
            case .map(let tag):
                let new = (tag, line, keys)
                map = new
                maps.append(new)
                isMapNew = true
                isChangedSinceSegment = true
                isChangedSincePart = true
            case .part: recordChange(line, isSegment: false)
            case .discontinuity: discontinuity &+= 1
            default: break
            }
        default: tagLines.append(line)
        }
    }

    private mutating func apply(_ key: KeyTag, _ line: PlaylistLine) {
        isChangedSinceSegment = true
        isChangedSincePart = true
        guard key.method != .none else {
            keys = []
            return oldKeys = 0
        }
        if let index = keys.firstIndex(where: { $0.tag.keyFormat == key.keyFormat }) {
            keys.remove(at: index)
            if index < oldKeys { oldKeys -= 1 }
        }
        if keys.count < MediaSubject.maximumKeyCount { keys.append((key, line)) }
    }

    private mutating func recordChange(_ line: PlaylistLine, isSegment: Bool) {
        guard isSegment ? isChangedSinceSegment : isChangedSincePart else { return }
        changes.append(
            MediaSubject.EncryptionChange(
                line: line,
                isSegment: isSegment,
                keys: keys,
                oldKeys: oldKeys,
                map: map,
                isMapNew: isMapNew
            )
        )
        oldKeys = keys.count
        isMapNew = false
        isChangedSincePart = false
        if isSegment { isChangedSinceSegment = false }
    }

    private mutating func finish(_ line: PlaylistLine) {
        let index = segments.count
        guard index < playlist.segments.count else { return }
        let segment = playlist.segments[index]
        var range: Range<UInt64>?
        if let own = segment.byteRange {
            let uri = segment.uri
            let offset = own.offset ?? (previous?.uri == uri ? previous?.end : nil)
            if let offset, !offset.addingReportingOverflow(own.length).overflow {
                range = offset..<offset + own.length
                previous = (uri, offset + own.length)
            } else {
                previous = nil
            }
        } else {
            previous = nil
        }
        segments.append(
            MediaSubject.Segment(
                index: index,
                segment: segment,
                mediaSequenceNumber: sequence,
                discontinuitySequenceNumber: discontinuity,
                tagLines: tagLines,
                uriLine: line,
                keys: keys,
                map: map,
                byteRange: range
            )
        )
        sequence &+= 1
        tagLines = []
    }
}

/// A Multivariant Playlist to check.
struct MultivariantSubject: Sendable {
    let file: LintFile
    let playlist: MultivariantPlaylist
    /// The variants with the lines of their tags.
    let variants: [(variant: Variant, line: PlaylistLine)]
    /// The renditions with their lines.
    let renditions: [(tag: MediaTag, line: PlaylistLine)]
    /// The I-frame variants with their lines.
    let iFrameVariants: [(tag: IFrameStreamInfTag, line: PlaylistLine)]
    /// The session keys with their lines.
    let sessionKeys: [(tag: SessionKeyTag, line: PlaylistLine)]
    var lines: [PlaylistLine] { file.lines }

    init?(_ file: LintFile) {
        guard case .multivariant(let playlist) = file.playlist else { return nil }
        self.file = file
        self.playlist = playlist
        var variantLines: [PlaylistLine] = []
        var pending: PlaylistLine?
        var renditions: [(tag: MediaTag, line: PlaylistLine)] = []
        var iFrameVariants: [(tag: IFrameStreamInfTag, line: PlaylistLine)] = []
        var sessionKeys: [(tag: SessionKeyTag, line: PlaylistLine)] = []
        for line in file.lines {
            switch line.content {
            case .uri:
                if let pending { variantLines.append(pending) }
                pending = nil
            case .tag(.streamInf): pending = line
            case .refused(.streamInf): pending = nil
            case .tag(.media(let tag)): renditions.append((tag, line))
            case .tag(.iFrameStreamInf(let tag)): iFrameVariants.append((tag, line))
            case .tag(.sessionKey(let tag)): sessionKeys.append((tag, line))
            default: break
            }
        }
        variants = zip(playlist.variants, variantLines).map { ($0, $1) }
        self.renditions = renditions
        self.iFrameVariants = iFrameVariants
        self.sessionKeys = sessionKeys
    }
}

/// Two snapshots of one Media Playlist.
struct ReloadSubject: Sendable {
    let before: MediaSubject
    /// The later snapshot as it was loaded.
    let after: MediaSubject
    /// The later snapshot as a complete playlist: a delta update is applied to the earlier snapshot. Nil when the
    /// update cannot be applied.
    let merged: MediaPlaylist?
    /// The correspondence between the segments of the two snapshots.
    let comparison: ReloadComparison

    init(before: MediaSubject, after: MediaSubject, merged: MediaPlaylist?, ignoresQueries: Bool) {
        self.before = before
        self.after = after
        self.merged = merged
        comparison = ReloadComparison(before, after, merged, ignoresQueries: ignoresQueries)
    }
}
