import Foundation
import HLSPlaylist
import OfflineAssets
import ToolSupport

extension AssetBundle {
    /// Requires an audio or subtitles rendition in one of the languages. A download without renditions has no languages.
    func requireLanguage(of languages: [String]) throws(CommandFailure) {
        guard let bytes = FileManager.default.contents(atPath: mainPlaylist),
            case .multivariant(let playlist)? = try? Playlist.parseLeniently(Array(bytes)).playlist
        else { return }
        let renditions = playlist.renditions.filter { $0.uri != nil && $0.language != nil }
        let hasLanguage = languages.flatMap(Self.ranges).contains { language in
            renditions.contains(where: RenditionQualifier(language: language).matches)
        }
        guard !hasLanguage else { return }
        var known: Set<String> = []
        let available = renditions.compactMap(\.language).filter { known.insert($0).inserted }
        throw CommandFailure(
            kind: .input,
            what: "--languages: the download has no rendition in \(languages.joined(separator: ", "))",
            next: available.isEmpty
                ? "its media have no language; leave out --languages"
                : "the downloaded languages are \(available.joined(separator: ", "))"
        )
    }

    /// Returns a language and the more general ones that players also select for it (RFC 4647, section 3.4).
    private static func ranges(of language: String) -> [String] {
        let subtags = language.split(separator: "-")
        return subtags.indices.reversed().map { subtags[...$0].joined(separator: "-") }
    }
}
