import HLSPlaylist
import StreamPlayer

/// The playlists of a presentation that was chosen, as they came.
struct PresentationPlaylists {
    /// A Media Playlist, and what it is of.
    struct Media {
        let playlist: MediaPlaylist
        /// Where it came from, after redirects.
        let url: String
        let kind: BundlePlaylist.Kind
        /// `video-1`: the folder of its media, and with `.m3u8` its local name.
        let name: String
        let label: String
        /// The URI by which the Multivariant Playlist names it; empty without one.
        let uri: String
    }

    /// The Multivariant Playlist and where it came from; nil where a Media Playlist is all there is.
    var multivariant: (playlist: MultivariantPlaylist, url: String, choice: PresentationChoice)?
    /// Each once.
    var media: [Media]

    /// What has to be loaded for a choice: each URI once, with what it is of.
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
    /// Resolves what a playlist from a server names.
    ///
    /// - Throws: ``DownloadError`` `playlist` for anything but an address of a web server: a file of this machine is none.
    static func web(_ uri: String, against base: String) throws(DownloadError) -> String {
        let url = String(resolve(uri, against: base).prefix { $0 != "#" })
        guard ["http", "https"].contains(scheme(of: url)), url.utf8.count <= 8192 else {
            throw DownloadError(.playlist, url: base, "it names what is no address of a web server")
        }
        return url
    }
}
