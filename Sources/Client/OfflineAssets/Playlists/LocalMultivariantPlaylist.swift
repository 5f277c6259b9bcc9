import HLSPlaylist

/// A local Multivariant Playlist, which refers only to downloaded playlists.
///
/// | In the server's playlist | In the bundle |
/// |---|---|
/// | selected EXT-X-STREAM-INF, -MEDIA, -I-FRAME-STREAM-INF | unchanged except for the local URI |
/// | EXT-X-STREAM-INF, -MEDIA, -I-FRAME-STREAM-INF that are not selected | removed |
/// | a group attribute of a variant without selected renditions | removed |
/// | EXT-X-SESSION-KEY of a key in a selected playlist | unchanged; others are removed |
/// | EXT-X-SESSION-DATA with a URI | the absolute URL, which requires a network |
/// | EXT-X-CONTENT-STEERING | removed |
/// | EXT-X-DEFINE with QUERYPARAM | EXT-X-DEFINE with VALUE |
/// | comments, unknown tags, all other tags | unchanged, byte for byte |
enum LocalMultivariantPlaylist {
    /// Returns the bytes of the local playlist.
    static func write(
        _ original: MultivariantPlaylist,
        _ url: String,
        _ choice: PresentationChoice,
        _ media: [AssetPlaylists.Media],
        _ keys: KeyGroups
    ) throws(DownloadError) -> [UInt8] {
        let names = Dictionary(media.map { ($0.uri, "\($0.name).m3u8") }) { first, _ in first }
        var playlist = original
        let groups = Set(choice.renditions.map { Group(type: $0.type, id: $0.groupID) })
        playlist.variants = choice.variants.map { variant in
            var variant = variant
            variant.uri = names[variant.uri] ?? "gap"
            variant.streamInf.keep(groups)
            return variant
        }
        playlist.renditions = choice.renditions.map { rendition in
            var rendition = rendition
            rendition.uri = rendition.uri.map { names[$0] ?? "gap" }
            return rendition
        }
        playlist.iFrameVariants = choice.iFrames.map { tag in
            var tag = tag
            tag.uri = names[tag.uri] ?? "gap"
            if let group = tag.video, !groups.contains(Group(type: .video, id: group)) { tag.attributes.video = nil }
            return tag
        }
        playlist.sessionKeys = original.sessionKeys.compactMap { tag in
            guard let identifier = KeyGroups.identifier(of: tag.key, base: url), keys.identifiers.contains(identifier)
            else {
                return nil
            }
            var tag = tag
            tag.key.uri = identifier
            return tag
        }
        playlist.sessionData = original.sessionData.map { tag in
            var tag = tag
            tag.uri = tag.uri.map { URIReference.resolve($0, against: url) }
            return tag
        }
        playlist.contentSteering = nil
        playlist.defines = original.defines.map { $0.withValue(from: original.variables) }
        do throws(PlaylistError) {
            return try playlist.write()
        } catch {
            throw DownloadError(.playlist, url: url, "the playlist cannot be rewritten for offline use: \(error)")
        }
    }
}

private struct Group: Hashable {
    let type: MediaTag.MediaType
    let id: String
}

extension StreamInfTag {
    /// Removes the attributes of groups without selected renditions.
    fileprivate mutating func keep(_ groups: Set<Group>) {
        if let id = audio, !groups.contains(Group(type: .audio, id: id)) { audio = nil }
        if let id = subtitles, !groups.contains(Group(type: .subtitles, id: id)) { subtitles = nil }
        if let id = attributes.video, !groups.contains(Group(type: .video, id: id)) { attributes.video = nil }
        if case .group(let id)? = closedCaptions, !groups.contains(Group(type: .closedCaptions, id: id)) {
            closedCaptions = nil
        }
    }
}
