import Foundation
import HLSPlaylist

/// Languages as playlists have them: RFC 5646 tags, while MP4 files have the codes of ISO 639-2/T.
package enum TrackLanguage {
    /// The tag of a language: `en` for `eng`, `pt-BR` for `pt-br`; nil for what is no tag, and for `und`, which is to
    /// say that nothing is known.
    ///
    /// RFC 5646, 2.2.1 asks for the shortest code that there is.
    package static func tag(_ text: String) -> String? {
        let text = text.replacing("_", with: "-")
        let parts = text.split(separator: "-")
        guard LanguageTag.isWellFormed(text), let first = parts.first else { return nil }
        let language = first.lowercased()
        guard language != "und" else { return nil }
        var tag = [language.utf8.count == 3 ? shortest(language) : language]
        var isExtension = false
        for part in parts.dropFirst() {
            // Behind a singleton, four letters are no script and two are no region.
            if part.utf8.count == 1 { isExtension = true }
            switch part.utf8.count {
            case 4 where !isExtension && part.allSatisfy(\.isLetter): tag.append(part.capitalized)
            case 2 where !isExtension: tag.append(part.uppercased())
            default: tag.append(part.lowercased())
            }
        }
        return tag.joined(separator: "-")
    }

    /// What people call a language who speak it: `Deutsch` for `de`; the tag where nobody knows.
    package static func name(of tag: String) -> String {
        guard let name = Locale(identifier: tag).localizedString(forIdentifier: tag), !name.isEmpty else { return tag }
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    /// The code of two letters, where there is one.
    private static func shortest(_ code: String) -> String {
        Locale.LanguageCode(code).identifier(.alpha2) ?? bibliographic[code] ?? code
    }

    /// The codes of ISO 639-2/B that differ from those of 639-2/T: old files have them.
    private static let bibliographic = [
        "alb": "sq", "arm": "hy", "baq": "eu", "bur": "my", "chi": "zh", "cze": "cs", "dut": "nl", "fre": "fr",
        "geo": "ka", "ger": "de", "gre": "el", "ice": "is", "mac": "mk", "mao": "mi", "may": "ms", "per": "fa",
        "rum": "ro", "slo": "sk", "tib": "bo", "wel": "cy",
    ]
}
