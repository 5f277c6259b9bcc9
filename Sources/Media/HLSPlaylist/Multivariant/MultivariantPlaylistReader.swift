import ByteCoding

extension MultivariantPlaylist {
    /// Reads a Multivariant Playlist.
    init(_ context: ReadingContext) throws(PlaylistError) {
        var reader = MultivariantPlaylistReader(context)
        self = try reader.read()
    }
}

private struct MultivariantPlaylistReader {
    let context: ReadingContext
    var playlist = MultivariantPlaylist()
    var taken: Set<TagName> = []
    /// A tag of a Media Playlist was met.
    var isMixed = false
    /// An EXT-X-STREAM-INF tag whose URI line has not come yet, and its line.
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
            let line = LineScanner.scan(bytes, from: offset)
            offset = line.next
            context.begin(line)
            let content = context.checked(bytes, line)
            readLine(LineContent(bytes, content), content)
            try context.check()
        }
        if let pending { reportMissingURI(pending.line) }
        if isMixed { context.forgetWhatIsMissing() }
        try context.check()
        playlist.variables = context.variables.values
        playlist.source = context.source
        playlist.isEdited = false
        return playlist
    }

    private func reportMissingURI(_ line: Int) {
        context.report(.streamInfWithoutURI, line: line, "EXT-X-STREAM-INF: no URI line follows it")
    }

    private mutating func readLine(_ line: LineContent, _ content: Range<Int>) {
        switch line {
        case .blank: break
        case .uri(let range):
            guard let pending else {
                return context.report(.uriWithoutStreamInf, "no EXT-X-STREAM-INF tag stands before the URI line")
            }
            self.pending = nil
            if let tag = pending.tag {
                playlist.variants.append(Variant(tag, uri: context.text(range, reading: "URI")))
            }
        case .comment: playlist.otherLines.append(context.source.text(content))
        case .unknownTag(let name):
            context.report(.unknownTag, "\(ReadingContext.quoted(context.source.text(name))) is not a tag of HLS")
            playlist.otherLines.append(context.source.text(content))
        case .tag(let name, let value): readTag(name, value, content)
        }
    }

    private mutating func readTag(_ name: TagName, _ value: Range<Int>?, _ content: Range<Int>) {
        switch name.family {
        case .any, .multivariant: break
        case .mediaPlaylist, .mediaSegment, .mediaMetadata:
            if !isMixed {
                context.report(.mixedPlaylistKinds, "\(name.rawValue) must not stand in a Multivariant Playlist")
            }
            isMixed = true
            return playlist.otherLines.append(context.source.text(content))
        }
        if name == .streamInf, let pending {
            reportMissingURI(pending.line)
            self.pending = nil
        }
        guard let tag = PlaylistTag(context, name, value) else {
            // Its URI line goes with it: the tag alone would take that of another variant.
            if name == .streamInf { return pending = (nil, context.lineNumber) }
            return playlist.otherLines.append(context.source.text(content))
        }
        // One that clients ignore is no first one.
        if name.isUnique, !taken.insert(name).inserted {
            context.report(.duplicateTag, "\(name.rawValue) stands a second time")
            return playlist.otherLines.append(context.source.text(content))
        }
        take(tag)
    }

    private mutating func take(_ tag: PlaylistTag) {
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
