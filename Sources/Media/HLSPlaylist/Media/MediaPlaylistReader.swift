import ByteCoding

extension MediaPlaylist {
    /// Reads a Media Playlist.
    init(_ context: ReadingContext) throws(PlaylistError) {
        var reader = MediaPlaylistReader(context)
        self = try reader.read()
    }
}

/// Reads a Media Playlist line by line. The three lines that make up most of a playlist, EXTINF,
/// EXT-X-PROGRAM-DATE-TIME and the URI, are told apart by a few comparisons of eight bytes, and read without an
/// allocation.
private struct MediaPlaylistReader {
    let context: ReadingContext
    var playlist = MediaPlaylist(targetDuration: 0)
    var segments: [MediaSegment] = []
    var draft = SegmentDraft()
    /// Tags that stand there, whether they could be read or not.
    var seen: Set<TagName> = []
    /// Tags that may stand once and were taken.
    var taken: Set<TagName> = []
    var hasTargetDuration = false
    var headerEnd = -1
    /// A tag of a Multivariant Playlist was met.
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
            let line = LineScanner.scan(bytes, from: offset)
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
                    if draft.programDateTime != nil { return repeated(.programDateTime, content) }
                    draft.programDateTime = date
                } else {
                    keep(content)
                }
                return
            }
        }
        readOther(bytes, content, line)
    }

    /// Notes that a line belongs to the next segment.
    @inline(__always)
    private mutating func begin(_ line: ScannedLine) {
        if headerEnd < 0 { headerEnd = line.start }
        if draft.start < 0 { draft.start = segmentsEnd < 0 ? headerEnd : segmentsEnd }
    }

    @inline(__always)
    private mutating func readInf(_ bytes: RawSpan, _ content: Range<Int>) {
        let value = content.lowerBound + 8..<content.upperBound
        guard let (duration, title) = InfTag.read(context, bytes, value) else {
            // So that one mistake is reported once.
            draft.hasDuration = true
            return keep(content)
        }
        if draft.hasDuration { reportUnusedDuration() }
        draft.duration = duration
        draft.hasDuration = true
        draft.durationLine = context.lineNumber
        draft.title = title
    }

    @inline(never)
    private func reportUnusedDuration() {
        context.report(.durationWithoutSegment, line: draft.durationLine, "EXTINF: no URI line follows it")
    }

    @inline(__always)
    private mutating func readURI(_ bytes: RawSpan, _ content: Range<Int>, _ line: ScannedLine) {
        begin(line)
        if !draft.hasDuration { context.report(.segmentWithoutDuration, "the media segment has no EXTINF tag") }
        let text = VariableTable.hasReference(bytes, content) ? context.text(content, reading: "URI") : nil
        let origin = MediaSegment.Origin(
            source: context.source,
            start: UInt32(truncatingIfNeeded: draft.start),
            end: UInt32(truncatingIfNeeded: line.next)
        )
        if segments.count == 64 { reserve(at: line.next) }
        segments.append(MediaSegment(taking: &draft, uri: content, ownURI: text, origin: origin))
        segmentsEnd = line.next
        if segments.count > context.options.limits.segments {
            context.report(.limitExceeded, "more than \(context.options.limits.segments) media segments")
        }
    }

    /// Makes room for the rest, if it is as dense as the beginning.
    @inline(never)
    private mutating func reserve(at offset: Int) {
        let estimate = 64 * context.source.bytes.count / max(1, offset) + 64
        segments.reserveCapacity(min(estimate, context.options.limits.segments))
    }

    @inline(never)
    private mutating func readOther(_ bytes: RawSpan, _ content: Range<Int>, _ line: ScannedLine) {
        switch LineContent(bytes, content) {
        case .blank, .uri: break
        case .comment: keep(content)
        case .unknownTag(let name):
            context.report(.unknownTag, "\(ReadingContext.quoted(context.source.text(name))) is not a tag of HLS")
            keep(content)
        case .tag(let name, let value): readTag(name, value, content, line)
        }
    }

    /// Keeps a line that says nothing to this library.
    private mutating func keep(_ content: Range<Int>) {
        let text = context.source.text(content)
        if headerEnd < 0 { playlist.otherLines.append(text) } else { draft.tags.append(.other(text)) }
    }

    private mutating func readTag(_ name: TagName, _ value: Range<Int>?, _ content: Range<Int>, _ line: ScannedLine) {
        seen.insert(name)
        switch name.family {
        case .multivariant:
            if !isMixed { context.report(.mixedPlaylistKinds, "\(name.rawValue) must not stand in a Media Playlist") }
            isMixed = true
            return keep(content)
        case .mediaSegment: begin(line)
        case .mediaMetadata where name == .dateRange: begin(line)
        default: break
        }
        guard let tag = PlaylistTag(context, name, value) else {
            // A duration that cannot be read is not missing as well.
            if name == .inf { draft.hasDuration = true }
            return keep(content)
        }
        // One that clients ignore is no first one.
        if name.isUnique, !taken.insert(name).inserted {
            context.report(.duplicateTag, "\(name.rawValue) stands a second time")
            return keep(content)
        }
        take(tag, content, line)
    }

    private mutating func take(_ tag: PlaylistTag, _ content: Range<Int>, _ line: ScannedLine) {
        switch tag {
        // The caller reads EXTINF itself.
        case .extM3U, .inf: break
        case .byteRange(let range):
            if draft.byteRange != nil { return repeated(.byteRange, content) }
            draft.byteRange = range
        case .discontinuity:
            // A second one counts too: it may be left of a segment that was removed.
            if draft.isDiscontinuity { return keep(content) }
            draft.isDiscontinuity = true
        case .programDateTime(let date):
            if draft.programDateTime != nil { return repeated(.programDateTime, content) }
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
            if playlist.take(tag), headerEnd >= 0 {
                begin(line)
                draft.holdsPlaylistTags = true
            }
        }
    }

    private mutating func repeated(_ name: TagName, _ content: Range<Int>) {
        context.report(.duplicateTag, "\(name.rawValue) stands a second time before one media segment")
        keep(content)
    }

    private mutating func finish(_ count: Int) {
        if draft.hasDuration, draft.durationLine > 0 { reportUnusedDuration() }
        if !seen.contains(.targetDuration) {
            context.report(.missingTargetDuration, line: 0, "EXT-X-TARGETDURATION is missing")
        }
        if isMixed { context.forgetWhatIsMissing() }
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
