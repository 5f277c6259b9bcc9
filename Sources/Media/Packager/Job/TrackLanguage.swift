import Foundation
import HLSPlaylist

/// Conversion of languages to RFC 5646 tags, which playlists use; MP4 files contain ISO 639-2/T codes.
package enum TrackLanguage {
    /// The tag of an undetermined language (RFC 5646, 4.1), because Apple 8.10 requires LANGUAGE.
    static let undetermined = "und"

    /// Returns the tag of a language: `en` for `eng`, `pt-BR` for `pt-br`; nil for a malformed tag and for `und`
    /// (undetermined).
    ///
    /// RFC 5646, 2.2.1 requires the shortest code of a language.
    package static func tag(_ text: String) -> String? {
        let text = text.replacing("_", with: "-")
        let parts = text.split(separator: "-")
        guard LanguageTag.isWellFormed(text), let first = parts.first else { return nil }
        let language = first.lowercased()
        guard language != undetermined else { return nil }
        var tag = [language.utf8.count == 3 ? shortest(language) : language]
        var isExtension = false
        for part in parts.dropFirst() {
            // After a singleton, a subtag of four letters is not a script and one of two letters is not a region.
            if part.utf8.count == 1 { isExtension = true }
            switch part.utf8.count {
            case 4 where !isExtension && part.allSatisfy(\.isLetter): tag.append(part.capitalized)
            case 2 where !isExtension: tag.append(part.uppercased())
            default: tag.append(part.lowercased())
            }
        }
        return tag.joined(separator: "-")
    }

    /// Returns a language's name in that language: `Deutsch` for `de`; the tag itself if the name is unknown.
    package static func name(of tag: String) -> String {
        guard let name = Locale(identifier: tag).localizedString(forIdentifier: tag), !name.isEmpty else { return tag }
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Returns the two-letter code, if one exists.
    private static func shortest(_ code: String) -> String {
        Locale.LanguageCode(code).identifier(.alpha2) ?? bibliographic[code] ?? code
    }

    /// The ISO 639-2/B codes that differ from ISO 639-2/T, as found in old files.
    private static let bibliographic = [
        "alb": "sq", "arm": "hy", "baq": "eu", "bur": "my", "chi": "zh", "cze": "cs", "dut": "nl", "fre": "fr",
        "geo": "ka", "ger": "de", "gre": "el", "ice": "is", "mac": "mk", "mao": "mi", "may": "ms", "per": "fa",
        "rum": "ro", "slo": "sk", "tib": "bo", "wel": "cy",
    ]
}
