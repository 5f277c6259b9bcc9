import HLSPlaylist

extension AssetDownload {
    /// Removes segments that are missing on the server from a bundle, and marks them with EXT-X-GAP in its playlists.
    ///
    /// - Throws: The error of a segment if no segment is left.
    func remove(
        _ missing: [Int: DownloadError],
        from description: inout BundleDescription
    ) throws(DownloadError) {
        guard let first = missing.min(by: { $0.key < $1.key })?.value else { return }
        let files = Set(missing.keys.map { description.resources[$0].file })
        var hasSegment = false
        for index in description.playlists.indices where description.playlists[index].kind != .multivariant {
            let known = description.playlists[index]
            var playlist = try Self.stored { () throws(AssetBundleError) in
                try AssetBundle(folder: folder.path, description: description).mediaPlaylist(known)
            }
            let gaps = playlist.segments.indices.filter { files.contains(playlist.segments[$0].uri) }
            hasSegment = hasSegment || playlist.segments.contains { !$0.isGap && !files.contains($0.uri) }
            guard !gaps.isEmpty else { continue }
            for gap in gaps {
                playlist.segments[gap].isGap = true
                playlist.segments[gap].byteRange = nil
                playlist.segments[gap].uri = "gap"
            }
            // RFC 8216bis, section 8.
            playlist.version = max(playlist.version ?? 1, 8)
            description.playlists[index] = try write(playlist, as: known)
        }
        guard hasSegment else { throw first }
        description.missing = missing.sorted { $0.key < $1.key }.map(\.value.description)
        description.resources = description.resources.enumerated().filter { missing[$0.offset] == nil }.map(\.element)
    }

    /// Writes a local Media Playlist. Returns its description with the new checksum.
    func write(_ playlist: MediaPlaylist, as known: BundlePlaylist) throws(DownloadError) -> BundlePlaylist {
        let bytes: [UInt8]
        do throws(PlaylistError) {
            bytes = try playlist.write()
        } catch {
            throw DownloadError(.playlist, url: known.url, "the playlist cannot be rewritten for offline use: \(error)")
        }
        try Self.stored { () throws(AssetBundleError) in try folder.write(bytes, to: known.file) }
        return BundlePlaylist(known, bytes: bytes)
    }
}
