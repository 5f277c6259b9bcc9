import HLSPlaylist
import MediaDecryption

/// Writes a playlist without its keys.
struct ClearPlaylist {
    let ranges: ClearRanges
    let paths: PresentationPaths
    /// The name of the playlist.
    let name: String

    /// Returns the bytes of the playlist without keys.
    ///
    /// - Throws: ``DecryptionError``.
    mutating func write(_ playlist: Playlist) throws -> [UInt8] {
        do throws(PlaylistError) {
            switch playlist {
            case .multivariant(var playlist):
                clear(&playlist)
                return try playlist.write()
            case .media(let playlist):
                return try cleared(playlist).write()
            }
        } catch {
            throw DecryptionError(.damaged, name, error.description)
        }
    }

    /// Removes the session keys and the output protection requirements, which apply only to encrypted media.
    private func clear(_ playlist: inout MultivariantPlaylist) {
        if !playlist.sessionKeys.isEmpty { playlist.sessionKeys = [] }
        for index in playlist.variants.indices {
            if playlist.variants[index].allowedCPC != nil { playlist.variants[index].allowedCPC = nil }
            if playlist.variants[index].hdcpLevel != nil { playlist.variants[index].hdcpLevel = nil }
        }
        for index in playlist.iFrameVariants.indices {
            if playlist.iFrameVariants[index].attributes.allowedCPC != nil {
                playlist.iFrameVariants[index].attributes.allowedCPC = nil
            }
            if playlist.iFrameVariants[index].attributes.hdcpLevel != nil {
                playlist.iFrameVariants[index].attributes.hdcpLevel = nil
            }
        }
    }

    private func cleared(_ playlist: MediaPlaylist) throws(PlaylistError) -> MediaPlaylist {
        var playlist = playlist
        let resolved = Array(try playlist.resolvedSegments())
        for index in playlist.segments.indices {
            if !playlist.segments[index].tags.isEmpty {
                let tags = playlist.segments[index].tags.compactMap(clear)
                if tags != playlist.segments[index].tags { playlist.segments[index].tags = tags }
            }
            if let old = resolved[index].byteRange, let new = range(old, playlist.segments[index].uri) {
                playlist.segments[index].byteRange = new
            }
        }
        if !playlist.upcoming.tags.isEmpty { playlist.upcoming.tags = playlist.upcoming.tags.compactMap(clear) }
        removeParts(&playlist)
        return playlist
    }

    /// Removes the tags of Low-Latency HLS: the byte ranges of parts differ in decrypted files, and a folder of files
    /// cannot delay responses.
    private func removeParts(_ playlist: inout MediaPlaylist) {
        if playlist.partInf != nil { (playlist.partInf, playlist.upcoming) = (nil, UpcomingSegment()) }
        if playlist.serverControl != nil { playlist.serverControl = nil }
        if !playlist.preloadHints.isEmpty { playlist.preloadHints = [] }
        if !playlist.renditionReports.isEmpty { playlist.renditionReports = [] }
    }

    private func clear(_ tag: SegmentTag) -> SegmentTag? {
        switch tag {
        case .key, .part: return nil
        case .map(var map):
            if let old = map.byteRange, let new = range((old.offset ?? 0)..<(old.offset ?? 0) + old.length, map.uri) {
                map.byteRange = new
            }
            return .map(map)
        default: return tag
        }
    }

    /// Returns the new position of a byte range; nil if it has not changed.
    private func range(_ old: Range<UInt64>, _ uri: String) -> ByteRange? {
        guard let lower = Int(exactly: old.lowerBound), let upper = Int(exactly: old.upperBound),
            let file = try? paths.name(of: uri, in: name), let new = ranges.range(lower..<upper, of: file),
            new != lower..<upper
        else { return nil }
        return ByteRange(length: UInt64(new.count), offset: UInt64(new.lowerBound))
    }
}
