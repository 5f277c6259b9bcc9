import HLSPlaylist
import StreamPlayer

/// The selected playlists of a presentation, as received.
struct AssetPlaylists {
    /// A Media Playlist of the presentation.
    struct Media {
        var playlist: MediaPlaylist
        /// The URL after redirects.
        let url: String
        let kind: BundlePlaylist.Kind
        /// The name, such as `video-1`: the folder of its media, and with the suffix `.m3u8` the local playlist.
        let name: String
        let label: String
        /// The URI in the Multivariant Playlist; empty without one.
        let uri: String
    }

    /// The Multivariant Playlist and its URL; nil if the presentation is a Media Playlist.
    var multivariant: (playlist: MultivariantPlaylist, url: String, choice: PresentationChoice)?
    /// The Media Playlists, without duplicates.
    var media: [Media]

    /// Returns the Media Playlists to load for a choice, without duplicates.
    static func wanted(by choice: PresentationChoice) -> [(
        uri: String, kind: BundlePlaylist.Kind, name: String, label: String
    )] {
        var result: [(uri: String, kind: BundlePlaylist.Kind, name: String, label: String)] = []
        var known: Set<String> = []
        var counts: [String: Int] = [:]
        func add(_ uri: String, _ kind: BundlePlaylist.Kind, _ stem: String, _ label: String) {
            guard known.insert(uri).inserted else { return }
            let number = counts[stem, default: 0] + 1
            counts[stem] = number
            result.append((uri, kind, "\(stem)-\(number)", String(label.prefix(200))))
        }
        for variant in choice.variants {
            let size = variant.resolution.map { "\($0) " } ?? ""
            add(variant.uri, .variant, "variant", "\(size)\(variant.bandwidth) bit/s")
        }
        for rendition in choice.renditions {
            guard let uri = rendition.uri else { continue }
            let label = (rendition.language.map { "\($0) " } ?? "") + rendition.name
            switch rendition.type {
            case .audio: add(uri, .audio, "audio", label)
            case .subtitles: add(uri, .subtitles, "subtitles", label)
            default: add(uri, .video, "video", label)
            }
        }
        for tag in choice.iFrames {
            add(tag.uri, .iFrames, "i-frames", (tag.resolution.map { "\($0) " } ?? "") + "\(tag.bandwidth) bit/s")
        }
        return result
    }
}

extension URIReference {
    /// Resolves a URI of a playlist from a server.
    ///
    /// - Throws: ``DownloadError`` `playlist` for anything other than an HTTP URL, such as a local file.
    static func web(_ uri: String, against base: String) throws(DownloadError) -> String {
        let url = String(resolve(uri, against: base).prefix { $0 != "#" })
        guard ["http", "https"].contains(scheme(of: url)), url.utf8.count <= 8192 else {
            throw DownloadError(.playlist, url: base, "the playlist contains a URI that is not an HTTP or HTTPS URL")
        }
        return url
    }
}
