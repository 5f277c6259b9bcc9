extension MediaPlaylist {
    /// The bytes of the playlist. What was read and not changed is written as it was; the rest in the order and the form of
    /// the draft.
    ///
    /// - Throws: ``PlaylistError`` when a value cannot be written, such as a URI with a line break in it.
    public func write() throws(PlaylistError) -> [UInt8] {
        if let origin, !isEdited { return origin.source.bytes }
        let usesCRLF = origin.map { $0.source.bytes.prefix(4096).firstIndex(of: 0x0D) != nil } ?? false
        var writer = PlaylistWriter(
            capacity: (origin?.source.bytes.count ?? segments.count * 96) + 256,
            usesCRLF: usesCRLF
        )
        var strays = strayTags()
        writeHeader(&strays.rest, to: &writer)
        for segment in segments { write(segment, &strays, to: &writer) }
        writeTrailer(&strays.rest, to: &writer)
        try writer.check()
        return writer.bytes
    }

    /// The tags of the playlist as a whole that stand among the lines of segments and still hold.
    private struct Strays {
        /// Those that stay in their place.
        var kept: [PlaylistTag: Int] = [:]
        /// The header's and the trailer's tags that have no line among the segments' ones.
        var rest: [PlaylistTag] = []
    }

    private func strayTags() -> Strays {
        var strays = Strays()
        var wanted: [PlaylistTag: Int] = [:]
        for tag in headerTags + trailerTags { wanted[tag, default: 0] += 1 }
        for segment in segments where segment.holdsPlaylistTags {
            guard let origin = segment.origin else { continue }
            for tag in Self.playlistTags(origin.source, origin.range, variables) where (wanted[tag] ?? 0) > 0 {
                wanted[tag, default: 0] -= 1
                strays.kept[tag, default: 0] += 1
            }
        }
        var left = strays.kept
        for tag in headerTags + trailerTags {
            if (left[tag] ?? 0) > 0 { left[tag, default: 0] -= 1 } else { strays.rest.append(tag) }
        }
        return strays
    }

    /// The tags of the playlist as a whole among some lines.
    private static func playlistTags(_ source: PlaylistSource, _ range: Range<Int>, _ variables: [String: String])
        -> [PlaylistTag]
    {
        let context = ReadingContext(source: source, options: ParsingOptions(), isLenient: false)
        for (name, value) in variables { _ = context.variables.define(name, value) }
        let storage = source.bytes
        let bytes = storage.span.bytes
        var tags: [PlaylistTag] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            let line = LineScanner.scan(bytes, from: offset)
            offset = line.next
            guard case .tag(let name, let value) = LineContent(bytes, line.start..<line.end),
                isPlaylistTag(name), let tag = PlaylistTag(context, name, value)
            else { continue }
            tags.append(tag)
        }
        return tags
    }

    private static func isPlaylistTag(_ name: TagName) -> Bool {
        switch name.family {
        case .any, .mediaPlaylist: name != .extM3U
        case .mediaMetadata: name != .dateRange
        case .mediaSegment, .multivariant: false
        }
    }

    private func writeHeader(_ tags: inout [PlaylistTag], to writer: inout PlaylistWriter) {
        let trailer = Set(trailerTags.map(\.name))
        let atEnd = origin.map { Self.playlistTags($0.source, $0.header, variables).map(\.name) } ?? []
        // What a trailer would hold but the old header held stays in the header.
        let isHeader = { (tag: PlaylistTag) in !trailer.contains(tag.name) || atEnd.contains(tag.name) }
        let items = tags.filter(isHeader).map { TemplateWriter.Item.tag($0) } + otherLines.map { .other($0) }
        tags.removeAll(where: isHeader)
        guard let origin else {
            writer.tag(.extM3U)
            for item in items { TemplateWriter.write(item, to: &writer) }
            return
        }
        var template = TemplateWriter(items)
        template.write(after: origin.source, origin.header, variables: variables, to: &writer)
    }

    private func write(_ segment: MediaSegment, _ strays: inout Strays, to writer: inout PlaylistWriter) {
        guard let origin = segment.origin else {
            for item in segment.items { TemplateWriter.write(item, to: &writer) }
            return
        }
        if !segment.isEdited, !segment.holdsPlaylistTags {
            writer.raw(origin.source.bytes[origin.range])
            // The last line of a file may lack its end.
            if writer.bytes.last != 0x0A { writer.endLine() }
            return
        }
        var items = segment.items
        if segment.holdsPlaylistTags {
            for tag in Self.playlistTags(origin.source, origin.range, variables) where (strays.kept[tag] ?? 0) > 0 {
                strays.kept[tag, default: 0] -= 1
                items.append(.tag(tag))
            }
        }
        var template = TemplateWriter(items)
        template.write(after: origin.source, origin.range, variables: variables, to: &writer)
    }

    private func writeTrailer(_ tags: inout [PlaylistTag], to writer: inout PlaylistWriter) {
        let items = upcoming.items + tags.map { .tag($0) }
        guard let origin else {
            for item in items { TemplateWriter.write(item, to: &writer) }
            return
        }
        var template = TemplateWriter(items)
        template.write(after: origin.source, origin.trailer, variables: variables, to: &writer)
    }
}

extension SegmentTag {
    var item: TemplateWriter.Item {
        switch self {
        case .key(let tag): .tag(.key(tag))
        case .map(let tag): .tag(.map(tag))
        case .bitrate(let rate): .tag(.bitrate(rate))
        case .dateRange(let tag): .tag(.dateRange(tag))
        case .part(let tag): .tag(.part(tag))
        case .other(let line): .other(line)
        }
    }
}

extension MediaSegment {
    /// The lines in the order in which they are written: DISCONTINUITY, KEY, MAP, PROGRAM-DATE-TIME, GAP, BITRATE, DATERANGE,
    /// PART, EXTINF, BYTERANGE, URI. The order within ``tags`` is kept.
    var items: [TemplateWriter.Item] {
        var items: [TemplateWriter.Item] = []
        if isDiscontinuity { items.append(.tag(.discontinuity)) }
        let split = tags.firstIndex { $0.rank > 2 } ?? tags.endIndex
        items += tags[..<split].map(\.item)
        if let programDateTime { items.append(.tag(.programDateTime(programDateTime))) }
        if isGap { items.append(.tag(.gap)) }
        items += tags[split...].map(\.item)
        items.append(.tag(.inf(duration: duration, title: title)))
        if let byteRange { items.append(.tag(.byteRange(byteRange))) }
        items.append(.uri(uri))
        return items
    }
}

extension UpcomingSegment {
    var items: [TemplateWriter.Item] {
        var items: [TemplateWriter.Item] = []
        if isDiscontinuity { items.append(.tag(.discontinuity)) }
        let split = tags.firstIndex { $0.rank > 2 } ?? tags.endIndex
        items += tags[..<split].map(\.item)
        if let programDateTime { items.append(.tag(.programDateTime(programDateTime))) }
        if isGap { items.append(.tag(.gap)) }
        items += tags[split...].map(\.item)
        if let byteRange { items.append(.tag(.byteRange(byteRange))) }
        return items
    }
}
