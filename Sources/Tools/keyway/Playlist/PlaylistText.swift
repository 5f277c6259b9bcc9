import ToolSupport

/// Functions that make text from playlists safe to print. All text from playlists that is printed to a terminal passes
/// through here.
enum PlaylistText {
    /// Returns text with control characters and terminal escapes made visible, truncated if it is long.
    static func printable(_ text: String, limit: Int = 400) -> String {
        guard text.unicodeScalars.count > limit else { return escaped(text) }
        return escaped(String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit)))) + "…"
    }

    /// Returns a URI without the parts that may be secret: user information, query and fragment, and the content of a
    /// `data:` URI.
    static func redacted(_ uri: String) -> String {
        var result = ""
        var rest = uri[...]
        for range in hiddenRanges(of: rest) {
            result += rest[rest.startIndex..<range.lowerBound] + "…"
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    /// Returns the parts of a URI that may be secret, in order.
    static func hiddenRanges(of uri: Substring) -> [Range<String.Index>] {
        if uri.prefix(5).lowercased() == "data:" {
            guard let comma = uri.firstIndex(of: ",") else { return [] }
            let content = uri.index(after: comma)..<uri.endIndex
            return content.isEmpty ? [] : [content]
        }
        var ranges: [Range<String.Index>] = []
        let end = uri.firstIndex { $0 == "?" || $0 == "#" } ?? uri.endIndex
        if let scheme = uri[..<end].firstRange(of: "://") {
            let authority = uri[scheme.upperBound..<end].prefix { $0 != "/" }
            if let at = authority.lastIndex(of: "@") { ranges.append(scheme.upperBound..<at) }
        }
        if end < uri.endIndex, uri.index(after: end) < uri.endIndex {
            ranges.append(uri.index(after: end)..<uri.endIndex)
        }
        return ranges
    }

    /// Returns a message of a rule, with the secret parts of URIs removed.
    static func message(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let place = nextURI(in: rest) {
            result += rest[..<place.lowerBound] + redacted(String(rest[place]))
            rest = rest[place.upperBound...]
        }
        return printable(result + rest, limit: 1_000)
    }

    /// Returns the next word that contains `://` or a query, or begins with `data:`. A question mark at the end of a
    /// word is punctuation.
    private static func nextURI(in text: Substring) -> Range<String.Index>? {
        let isEnd = { (character: Character) in character.isWhitespace || "\"'<>`".contains(character) }
        var position = text.startIndex
        while position < text.endIndex {
            let word = text[position...].prefix { !isEnd($0) }
            let hasQuery = word.firstIndex(of: "?").map { word.index(after: $0) < word.endIndex } ?? false
            if hasQuery || word.hasPrefix("data:") || word.contains("://") { return word.startIndex..<word.endIndex }
            position = word.endIndex
            if position < text.endIndex { position = text.index(after: position) }
        }
        return nil
    }
}
