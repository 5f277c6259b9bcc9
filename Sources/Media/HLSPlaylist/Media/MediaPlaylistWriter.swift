extension MediaPlaylist {
    /// Returns the bytes of the playlist. Lines that were read and not changed are written byte for byte; the others
    /// are written in the order and the form of the draft.
    ///
    /// - Throws: ``PlaylistError`` when a value cannot be written, such as a URI with a line break in it, and with
    ///   ``RuleID/lostSegmentState`` when a direct change of ``segments`` has removed a key, a Media Initialization
    ///   Section or a date that applied to a remaining segment.
    public func write() throws(PlaylistError) -> [UInt8] {
        if let origin, !isEdited { return origin.source.bytes }
        let isCRLF = origin.map { PlaylistWriter.usesCRLF($0.source.bytes) } ?? false
        var writer = PlaylistWriter(
            capacity: (origin?.source.bytes.count ?? segments.count * 96) + 256,
            usesCRLF: isCRLF
        )
        writer.marksExactDurations = marksExactDurations
        let variables = defines.values(known: variables)
        let reader = TemplateReader(.media, variables: variables)
        try RawEditCheck(self, reader).check()
        var misplaced = misplacedTags(reader)
        writeHeader(&misplaced.rest, reader, to: &writer)
        let isRedefined = variables != self.variables
        for segment in segments { write(segment, &misplaced, reader, isRedefined, to: &writer) }
        writeTrailer(misplaced.rest, reader, to: &writer)
        try writer.check()
        return writer.bytes
    }

    /// The tags of the whole playlist that appear among the lines of segments and are still valid.
    private struct MisplacedTags {
        /// The tags that keep their position, with the number of occurrences.
        var kept: [PlaylistTag: Int] = [:]
        /// The tags of the header and the trailer that do not appear among the lines of segments.
        var rest: [PlaylistTag] = []
    }

    private func misplacedTags(_ reader: TemplateReader) -> MisplacedTags {
        var result = MisplacedTags()
        var counts: [PlaylistTag: Int] = [:]
        let tags = headerTags + trailerTags
        for tag in tags { counts[tag, default: 0] += 1 }
        for segment in segments where segment.containsPlaylistTags {
            guard let origin = segment.origin else { continue }
            let lines = reader.lines(of: origin.source, origin.range)
            for tag in segment.playlistTags(lines) where (counts[tag] ?? 0) > 0 {
                counts[tag, default: 0] -= 1
                result.kept[tag, default: 0] += 1
            }
        }
        var remaining = result.kept
        for tag in tags {
            if (remaining[tag] ?? 0) > 0 { remaining[tag, default: 0] -= 1 } else { result.rest.append(tag) }
        }
        return result
    }

    private func writeHeader(_ tags: inout [PlaylistTag], _ reader: TemplateReader, to writer: inout PlaylistWriter) {
        let trailer = Set(trailerTags.map(\.name))
        let lines = origin.map { reader.lines(of: $0.source, $0.header) } ?? []
        let names = Set(lines.compactMap(\.name))
        // Trailer tags that were in the header of the source stay in the header.
        let isHeader = { (tag: PlaylistTag) in !trailer.contains(tag.name) || names.contains(tag.name) }
        let items = tags.filter(isHeader).map { TemplateWriter.Item.tag($0) } + otherLines.map { .other($0) }
        tags.removeAll(where: isHeader)
        guard let origin else {
            writer.tag(.extM3U)
            for item in items { TemplateWriter.write(item, to: &writer) }
            return
        }
        var template = TemplateWriter(items)
        template.write(lines, of: origin.source, to: &writer)
    }

    private func write(
        _ segment: MediaSegment,
        _ misplaced: inout MisplacedTags,
        _ reader: TemplateReader,
        _ isRedefined: Bool,
        to writer: inout PlaylistWriter
    ) {
        guard let origin = segment.origin else {
            for item in segment.items { TemplateWriter.write(item, to: &writer) }
            return
        }
        let isStale = isRedefined && origin.source.hasReference(origin.range)
        // Lines that end with CR are written separately, each with LF, because the new lines have LF too.
        if !segment.isEdited, !segment.containsPlaylistTags, !isStale, !origin.source.usesCR {
            writer.raw(origin.source.bytes[origin.range])
            // The last line of a file may have no line ending.
            if writer.bytes.last != 0x0A { writer.endLine() }
            return
        }
        let lines = reader.lines(of: origin.source, origin.range)
        var items = segment.items
        if segment.containsPlaylistTags {
            for tag in segment.playlistTags(lines) where (misplaced.kept[tag] ?? 0) > 0 {
                misplaced.kept[tag, default: 0] -= 1
                items.append(.tag(tag))
            }
        }
        var template = TemplateWriter(items)
        template.write(lines, of: origin.source, to: &writer)
    }

    private func writeTrailer(_ tags: [PlaylistTag], _ reader: TemplateReader, to writer: inout PlaylistWriter) {
        let items = upcoming.items + tags.map { .tag($0) }
        guard let origin else {
            for item in items { TemplateWriter.write(item, to: &writer) }
            return
        }
        var template = TemplateWriter(items)
        template.write(reader.lines(of: origin.source, origin.trailer), of: origin.source, to: &writer)
    }
}

extension MediaSegment {
    /// Returns the tags of the whole playlist among the original lines of the segment, except those that the reader
    /// ignored.
    fileprivate func playlistTags(_ lines: [TemplateLine]) -> [PlaylistTag] {
        var ignored: [String: Int] = [:]
        for case .other(let text) in tags { ignored[text, default: 0] += 1 }
        return lines.compactMap { line in
            guard case .item(_, .tag(let tag)) = line.role else { return nil }
            switch tag.name.family {
            case .any, .mediaPlaylist: break
            case .mediaMetadata: if tag.name == .dateRange { return nil }
            case .mediaSegment, .multivariant: return nil
            }
            guard (ignored[line.text] ?? 0) == 0 else {
                ignored[line.text, default: 0] -= 1
                return nil
            }
            return tag
        }
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
    /// The lines in the order in which they are written: DISCONTINUITY, KEY, MAP, PROGRAM-DATE-TIME, GAP, BITRATE,
    /// DATERANGE, PART, EXTINF, BYTERANGE, URI. The order within ``tags`` is preserved.
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
