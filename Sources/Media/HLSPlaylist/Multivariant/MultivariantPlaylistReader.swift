import ByteCoding

extension MultivariantPlaylist {
    /// Parses a Multivariant Playlist.
    init(_ context: ReadingContext) throws(PlaylistError) {
        var reader = MultivariantPlaylistReader(context)
        self = try reader.read()
    }
}

private struct MultivariantPlaylistReader {
    let context: ReadingContext
    var playlist = MultivariantPlaylist()
    /// The tags that may appear only once and have been stored.
    var uniqueTags: Set<TagName> = []
    /// True if the playlist has a tag of a Media Playlist.
    var isMixed = false
    /// The EXT-X-STREAM-INF tag that waits for its URI line, and the line number of the tag. The tag is nil if it
    /// was rejected.
    var pending: (tag: StreamInfTag?, line: Int)?

    init(_ context: ReadingContext) { self.context = context }

    mutating func read() throws(PlaylistError) -> MultivariantPlaylist {
        let storage = context.source.bytes
        let bytes = storage.span.bytes
        let start = PlaylistReader.start(context)
        PlaylistReader.checkFirstLine(context, start)
        try context.check()
        var offset = start
        while offset < bytes.byteCount {
            let line = context.source.scan(bytes, from: offset)
            offset = line.next
            context.begin(line)
            let content = context.checked(bytes, line)
            readLine(LineContent(bytes, content), content)
            try context.check()
        }
        if let pending { reportMissingURI(pending.line) }
        if isMixed { context.removeDiagnosticsOfMissingLines() }
        try context.check()
        playlist.variables = context.variables.values
        playlist.source = context.source
        playlist.isEdited = false
        return playlist
    }

    private func reportMissingURI(_ line: Int) {
        context.report(.streamInfWithoutURI, line: line, "EXT-X-STREAM-INF: no URI line follows the tag")
    }

    private mutating func readLine(_ line: LineContent, _ content: Range<Int>) {
        switch line {
        case .blank: break
        case .uri(let range):
            guard let pending else {
                return context.report(.uriWithoutStreamInf, "no EXT-X-STREAM-INF tag precedes the URI line")
            }
            self.pending = nil
            if let tag = pending.tag {
                playlist.variants.append(Variant(tag, uri: context.text(range, reading: "URI")))
            }
        case .comment: playlist.otherLines.append(context.source.text(content))
        case .unknownTag(let name):
            _ = context.checkCustomTag(name, content)
            playlist.otherLines.append(context.source.text(content))
        case .tag(let name, let value): readTag(name, value, content)
        }
    }

    private mutating func readTag(_ name: TagName, _ value: Range<Int>?, _ content: Range<Int>) {
        switch name.family {
        case .any, .multivariant: break
        case .mediaPlaylist, .mediaSegment, .mediaMetadata:
            if !isMixed {
                context.report(.mixedPlaylistKinds, "\(name.rawValue) is not allowed in a Multivariant Playlist")
            }
            isMixed = true
            return playlist.otherLines.append(context.source.text(content))
        }
        if name == .streamInf, let pending {
            reportMissingURI(pending.line)
            self.pending = nil
        }
        // The most frequent tags are read without a PlaylistTag, which requires an allocation and copies.
        if let value, name == .streamInf {
            // The URI line of an ignored tag is ignored too. Otherwise the URI line would belong to another variant.
            pending = (context.read(StreamInfTag.self, value), context.lineNumber)
            return
        }
        if let value, name == .media {
            if let tag = context.read(MediaTag.self, value) {
                playlist.renditions.append(tag)
            } else {
                playlist.otherLines.append(context.source.text(content))
            }
            return
        }
        guard let tag = PlaylistTag(context, name, value) else {
            return playlist.otherLines.append(context.source.text(content))
        }
        // A tag that clients ignore does not count.
        if name.isUnique, !uniqueTags.insert(name).inserted {
            context.report(.duplicateTag, "\(name.rawValue) appears more than once")
            return playlist.otherLines.append(context.source.text(content))
        }
        store(tag)
    }

    private mutating func store(_ tag: PlaylistTag) {
        switch tag {
        case .version(let value): playlist.version = value
        case .independentSegments: playlist.isIndependentSegments = true
        case .start(let value): playlist.start = value
        case .define(let value):
            playlist.defines.append(value)
            context.define(value, in: .multivariant)
        case .contentSteering(let value): playlist.contentSteering = value
        case .sessionData(let value): playlist.sessionData.append(value)
        case .sessionKey(let value): playlist.sessionKeys.append(value)
        case .media(let value): playlist.renditions.append(value)
        case .streamInf(let value): pending = (value, context.lineNumber)
        case .iFrameStreamInf(let value): playlist.iFrameVariants.append(value)
        default: break
        }
    }
}
