import ByteCoding

extension MediaPlaylist {
    /// Parses a Media Playlist.
    init(_ context: ReadingContext) throws(PlaylistError) {
        var reader = MediaPlaylistReader(context)
        self = try reader.read()
    }
}

/// Parses a Media Playlist line by line. The most frequent lines, EXTINF, EXT-X-PROGRAM-DATE-TIME and the URI, are
/// recognized by a few comparisons of eight bytes, and parsed without allocations.
private struct MediaPlaylistReader {
    let context: ReadingContext
    var playlist = MediaPlaylist(targetDuration: 0)
    var segments: [MediaSegment] = []
    var draft = SegmentDraft()
    /// The tags that are present, including those that could not be parsed.
    var seen: Set<TagName> = []
    /// The tags that may appear only once and have been stored.
    var uniqueTags: Set<TagName> = []
    var hasTargetDuration = false
    var headerEnd = -1
    /// True if the playlist has a tag of a Multivariant Playlist.
    var isMixed = false
    /// The offset after the last URI line.
    var segmentsEnd = -1

    init(_ context: ReadingContext) { self.context = context }

    mutating func read() throws(PlaylistError) -> MediaPlaylist {
        let storage = context.source.bytes
        let bytes = storage.span.bytes
        let count = bytes.byteCount
        let start = PlaylistReader.start(context)
        PlaylistReader.checkFirstLine(context, start)
        try context.check()
        var offset = start
        while offset < count {
            let line = context.source.scan(bytes, from: offset)
            offset = line.next
            context.begin(line)
            let content = context.checked(bytes, line)
            if !content.isEmpty { read(bytes, content, line) }
            try context.check()
        }
        finish(count)
        try context.check()
        return playlist
    }

    @inline(__always)
    private mutating func read(_ bytes: RawSpan, _ content: Range<Int>, _ line: ScannedLine) {
        if bytes.unsafeLoad(fromByteOffset: content.lowerBound, as: UInt8.self) != 0x23 {
            return readURI(bytes, content, line)
        }
        if content.count > 8 {
            let word = bytes.unsafeLoadUnaligned(fromByteOffset: content.lowerBound, as: UInt64.self).littleEndian
            // "#EXTINF:"
            if word == 0x3A46_4E49_5458_4523 {
                begin(line)
                return readInf(bytes, content)
            }
            // "#EXT-X-P" "ROGRAM-D" "ATE-TIME" ":"
            if word == 0x502D_582D_5458_4523, content.count > 25,
                bytes.unsafeLoadUnaligned(fromByteOffset: content.lowerBound + 8, as: UInt64.self).littleEndian
                    == 0x442D_4D41_5247_4F52,
                bytes.unsafeLoadUnaligned(fromByteOffset: content.lowerBound + 16, as: UInt64.self).littleEndian
                    == 0x454D_4954_2D45_5441,
                bytes.unsafeLoad(fromByteOffset: content.lowerBound + 24, as: UInt8.self) == 0x3A
            {
                begin(line)
                if let date = ProgramDateTimeTag.read(context, bytes, content.lowerBound + 25..<content.upperBound) {
                    if draft.programDateTime != nil { return reportDuplicate(.programDateTime, content) }
                    draft.programDateTime = date
                } else {
                    preserve(content)
                }
                return
            }
        }
        readOther(bytes, content, line)
    }

    /// Records that a line belongs to the next segment.
    @inline(__always)
    private mutating func begin(_ line: ScannedLine) {
        if headerEnd < 0 { headerEnd = line.start }
        if draft.start < 0 { draft.start = segmentsEnd < 0 ? headerEnd : segmentsEnd }
    }

    @inline(__always)
    private mutating func readInf(_ bytes: RawSpan, _ content: Range<Int>) {
        let value = content.lowerBound + 8..<content.upperBound
        guard let (duration, title) = InfTag.read(context, bytes, value) else {
            // Do not report the missing duration as well.
            draft.hasDuration = true
            return preserve(content)
        }
        if draft.hasDuration { reportUnusedDuration() }
        draft.duration = duration
        draft.hasDuration = true
        draft.durationLine = context.lineNumber
        draft.title = title
    }

    @inline(never)
    private func reportUnusedDuration() {
        context.report(.durationWithoutSegment, line: draft.durationLine, "EXTINF: no URI line follows the tag")
    }

    @inline(__always)
    private mutating func readURI(_ bytes: RawSpan, _ content: Range<Int>, _ line: ScannedLine) {
        begin(line)
        if !draft.hasDuration { context.report(.segmentWithoutDuration, "the Media Segment has no EXTINF tag") }
        let text = VariableTable.hasReference(bytes, content) ? context.text(content, reading: "URI") : nil
        let origin = MediaSegment.Origin(
            source: context.source,
            start: UInt32(truncatingIfNeeded: draft.start),
            end: UInt32(truncatingIfNeeded: line.next)
        )
        if segments.count == 64 { reserve(at: line.next) }
        segments.append(MediaSegment(consuming: &draft, uri: content, ownURI: text, origin: origin))
        segmentsEnd = line.next
        if segments.count > context.options.limits.segments {
            context.report(
                .limitExceeded,
                "the playlist has more than \(context.options.limits.segments) Media Segments"
            )
        }
    }

    /// Reserves capacity for the remaining segments, estimated from the length of the first ones.
    @inline(never)
    private mutating func reserve(at offset: Int) {
        let estimate = 64 * context.source.bytes.count / max(1, offset) + 64
        segments.reserveCapacity(min(estimate, context.options.limits.segments))
    }

    @inline(never)
    private mutating func readOther(_ bytes: RawSpan, _ content: Range<Int>, _ line: ScannedLine) {
        switch LineContent(bytes, content) {
        case .blank, .uri: break
        case .comment: preserve(content)
        case .unknownTag(let name):
            if context.checkCustomTag(name, content)?.isSegmentTag == true { begin(line) }
            preserve(content)
        case .tag(let name, let value): readTag(name, value, content, line)
        }
    }

    /// Preserves a line that this library does not interpret.
    private mutating func preserve(_ content: Range<Int>) {
        let text = context.source.text(content)
        if headerEnd < 0 { playlist.otherLines.append(text) } else { draft.tags.append(.other(text)) }
    }

    private mutating func readTag(_ name: TagName, _ value: Range<Int>?, _ content: Range<Int>, _ line: ScannedLine) {
        seen.insert(name)
        switch name.family {
        case .multivariant:
            if !isMixed { context.report(.mixedPlaylistKinds, "\(name.rawValue) is not allowed in a Media Playlist") }
            isMixed = true
            return preserve(content)
        case .mediaSegment: begin(line)
        case .mediaMetadata where name == .dateRange: begin(line)
        default: break
        }
        if let value, let tag = segmentTag(name, value) {
            guard let tag else { return preserve(content) }
            return draft.tags.append(tag)
        }
        guard let tag = PlaylistTag(context, name, value) else {
            // Do not report a malformed duration as missing as well.
            if name == .inf { draft.hasDuration = true }
            return preserve(content)
        }
        // A tag that clients ignore does not count.
        if name.isUnique, !uniqueTags.insert(name).inserted {
            context.report(.duplicateTag, "\(name.rawValue) appears more than once")
            return preserve(content)
        }
        store(tag, content, line)
    }

    /// Parses a tag of which a segment may have several, without a PlaylistTag, which requires an allocation and copies.
    /// The outer optional is nil for other tags, the inner one for a tag that is rejected.
    private func segmentTag(_ name: TagName, _ value: Range<Int>) -> SegmentTag?? {
        switch name {
        case .key:
            guard let key = context.read(KeyTag.self, value) else { return .some(nil) }
            context.count(key)
            return .key(key)
        case .map: return .some(context.read(MapTag.self, value).map { .map($0) })
        case .part: return .some(context.read(PartTag.self, value).map { .part($0) })
        case .dateRange: return .some(context.read(DateRangeTag.self, value).map { .dateRange($0) })
        default: return nil
        }
    }

    private mutating func store(_ tag: PlaylistTag, _ content: Range<Int>, _ line: ScannedLine) {
        switch tag {
        // The caller has already parsed EXTINF.
        case .extM3U, .inf: break
        case .byteRange(let range):
            if draft.byteRange != nil { return reportDuplicate(.byteRange, content) }
            draft.byteRange = range
        case .discontinuity:
            // A second tag counts too: it may belong to a segment that was removed.
            if draft.isDiscontinuity { return preserve(content) }
            draft.isDiscontinuity = true
        case .programDateTime(let date):
            if draft.programDateTime != nil { return reportDuplicate(.programDateTime, content) }
            draft.programDateTime = date
        case .gap: draft.isGap = true
        case .key(let key):
            context.count(key)
            draft.tags.append(.key(key))
        case .map(let map): draft.tags.append(.map(map))
        case .bitrate(let rate): draft.tags.append(.bitrate(rate))
        case .part(let part): draft.tags.append(.part(part))
        case .dateRange(let range): draft.tags.append(.dateRange(range))
        default:
            if case .define(let define) = tag { context.define(define, in: .media) }
            if case .targetDuration = tag { hasTargetDuration = true }
            if playlist.store(tag), headerEnd >= 0 {
                begin(line)
                draft.containsPlaylistTags = true
            }
        }
    }

    private mutating func reportDuplicate(_ name: TagName, _ content: Range<Int>) {
        context.report(.duplicateTag, "\(name.rawValue) appears more than once before the same Media Segment")
        preserve(content)
    }

    private mutating func finish(_ count: Int) {
        if draft.hasDuration, draft.durationLine > 0 { reportUnusedDuration() }
        if !seen.contains(.targetDuration) {
            context.report(.missingTargetDuration, line: 0, "EXT-X-TARGETDURATION is missing")
        }
        if isMixed { context.removeDiagnosticsOfMissingLines() }
        if headerEnd < 0 { headerEnd = count }
        if segmentsEnd < 0 { segmentsEnd = headerEnd }
        playlist.segments = segments
        playlist.upcoming = UpcomingSegment(
            programDateTime: draft.programDateTime,
            isDiscontinuity: draft.isDiscontinuity,
            isGap: draft.isGap,
            byteRange: draft.byteRange,
            tags: draft.tags
        )
        playlist.variables = context.variables.values
        playlist.origin = MediaPlaylist.Origin(
            source: context.source,
            header: 0..<headerEnd,
            trailer: segmentsEnd..<count,
            hasTargetDuration: hasTargetDuration
        )
        playlist.isEdited = false
    }
}
