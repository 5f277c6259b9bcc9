extension MultivariantPlaylist {
    /// Returns the bytes of the playlist. Lines that were read and not changed are written byte for byte; the others
    /// are written in the order and the form of the draft.
    ///
    /// - Throws: ``PlaylistError`` when a value cannot be written, such as a URI with a line break in it.
    public func write() throws(PlaylistError) -> [UInt8] {
        if let source, !isEdited { return source.bytes }
        let isCRLF = source.map { PlaylistWriter.usesCRLF($0.bytes) } ?? false
        var writer = PlaylistWriter(capacity: (source?.bytes.count ?? 0) + 1024, usesCRLF: isCRLF)
        if let source {
            let reader = TemplateReader(.multivariant, variables: defines.values(known: variables))
            var template = TemplateWriter(items)
            template.write(reader.lines(of: source, 0..<source.bytes.count), of: source, to: &writer)
        } else {
            writer.tag(.extM3U)
            for item in items { TemplateWriter.write(item, to: &writer) }
        }
        try writer.check()
        return writer.bytes
    }

    /// The lines in the order in which they are written.
    private var items: [TemplateWriter.Item] {
        var items: [TemplateWriter.Item] = []
        if let version { items.append(.tag(.version(version))) }
        if isIndependentSegments { items.append(.tag(.independentSegments)) }
        if let start { items.append(.tag(.start(start))) }
        items += defines.map { .tag(.define($0)) }
        if let contentSteering { items.append(.tag(.contentSteering(contentSteering))) }
        items += sessionData.map { .tag(.sessionData($0)) }
        items += sessionKeys.map { .tag(.sessionKey($0)) }
        items += renditions.map { .tag(.media($0)) }
        for variant in variants {
            items.append(.tag(.streamInf(variant.streamInf)))
            items.append(.uri(variant.uri))
        }
        items += iFrameVariants.map { .tag(.iFrameStreamInf($0)) }
        items += otherLines.map { .other($0) }
        return items
    }
}
