import HLSPlaylist

/// A local Media Playlist, which refers to the files of a bundle. It is equal to the server's playlist except for
/// live-only tags and the differences in the table.
///
/// | In the server's playlist | In the bundle |
/// |---|---|
/// | URI and EXT-X-BYTERANGE of a segment, EXT-X-MAP | a file of the bundle, and its byte range |
/// | the URI of a segment with EXT-X-GAP | `gap`, which is never loaded |
/// | EXT-X-KEY | unchanged; with KEYFORMAT `identity`, a relative URI becomes absolute, and a `data:` URI the name of the stored key |
/// | EXT-X-DEFINE with IMPORT, QUERYPARAM | EXT-X-DEFINE with VALUE, because there is no query |
/// | EXT-X-PART, -PART-INF, -PRELOAD-HINT, -RENDITION-REPORT, -SERVER-CONTROL | removed |
/// | comments, unknown tags, all other tags | unchanged, byte for byte |
enum LocalMediaPlaylist {
    /// Adds the resources and keys of a playlist.
    static func gather(
        _ media: AssetPlaylists.Media,
        into table: inout ResourceTable,
        _ keys: inout KeyGroups
    ) throws(DownloadError) {
        var lastKeys: KeyContext?
        for segment in try resolved(media) where !segment.segment.isGap {
            if let section = segment.initialization {
                keys.add(section.keys, base: media.url)
                let reference = try reference(section.map.uri, section.byteRange, media)
                table.add(reference, start: segment.start, folder: media.name)
            }
            if segment.keys != lastKeys {
                keys.add(segment.keys, base: media.url)
                lastKeys = segment.keys
            }
            let reference = try reference(segment.segment.uri, segment.byteRange, media)
            table.add(reference, start: segment.start, folder: media.name)
        }
    }

    /// Returns the bytes of the local playlist.
    static func write(_ media: AssetPlaylists.Media, _ table: ResourceTable) throws(DownloadError) -> [UInt8] {
        var playlist = media.playlist
        var index = 0
        for segment in try resolved(media) {
            try localize(&playlist.segments[index], segment.byteRange, media, table)
            index += 1
        }
        playlist.upcoming = UpcomingSegment()
        playlist.preloadHints = []
        playlist.renditionReports = []
        playlist.serverControl = nil
        playlist.partInf = nil
        playlist.defines = playlist.defines.map { $0.withValue(from: playlist.variables) }
        do throws(PlaylistError) {
            return try playlist.write()
        } catch {
            throw DownloadError(.playlist, url: media.url, "the playlist cannot be rewritten for offline use: \(error)")
        }
    }

    private static func localize(
        _ segment: inout MediaSegment,
        _ range: Range<UInt64>?,
        _ media: AssetPlaylists.Media,
        _ table: ResourceTable
    ) throws(DownloadError) {
        if segment.isGap {
            segment.uri = "gap"
        } else if let place = table.place(of: try reference(segment.uri, range, media)) {
            segment.uri = place.file
            segment.byteRange = place.range
        }
        // Most segments have no tags, and assigning an empty list would cause them to be rewritten.
        guard !segment.tags.isEmpty else { return }
        var tags: [SegmentTag] = []
        for tag in segment.tags {
            switch tag {
            case .part: continue
            case .key(var key):
                if key.keyFormat == .identity { key.uri = KeyGroups.identifier(of: key, base: media.url) }
                tags.append(.key(key))
            case .map(var map):
                if let place = table.place(of: try reference(map.uri, map.bytes, media)) {
                    map.uri = place.file
                    map.byteRange = place.range
                } else {
                    // The map applies only to gaps.
                    map.uri = "gap"
                }
                tags.append(.map(map))
            // The writer writes an EXTINF of its own in place of one that could not be parsed.
            case .other(let line) where line.hasPrefix("#EXTINF"): continue
            case .bitrate, .dateRange, .other: tags.append(tag)
            }
        }
        segment.tags = tags
    }

    private static func resolved(_ media: AssetPlaylists.Media) throws(DownloadError) -> ResolvedSegments {
        do throws(PlaylistError) {
            return try media.playlist.resolvedSegments()
        } catch {
            throw DownloadError(.playlist, url: media.url, "\(error)")
        }
    }

    private static func reference(
        _ uri: String,
        _ range: Range<UInt64>?,
        _ media: AssetPlaylists.Media
    ) throws(DownloadError) -> ResourceReference {
        if let range, range.isEmpty || range.upperBound > UInt64(Int64.max) {
            throw DownloadError(.playlist, url: media.url, "a byte range is empty or too large")
        }
        return ResourceReference(url: try URIReference.web(uri, against: media.url), range: range)
    }
}

extension MapTag {
    /// The byte range; nil means the whole resource.
    fileprivate var bytes: Range<UInt64>? {
        byteRange.map { range in
            let offset = range.offset ?? 0
            let (end, overflow) = offset.addingReportingOverflow(range.length)
            return offset..<(overflow ? .max : end)
        }
    }
}

extension DefineTag {
    /// Returns the definition with its value, because a local file has neither a query nor necessarily a Multivariant
    /// Playlist.
    func withValue(from variables: [String: String]) -> DefineTag {
        if case .value = definition { return self }
        return DefineTag(.value(name: name, value: variables[name] ?? ""), otherAttributes: otherAttributes)
    }
}
