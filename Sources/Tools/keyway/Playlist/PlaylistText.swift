/// Makes text out of playlists fit to be shown. Everything of a playlist that is printed for people passes through here.
enum PlaylistText {
    /// Text with its control characters and terminal escapes made visible, and cut when it is long.
    static func shown(_ text: String, limit: Int = 400) -> String {
        guard text.unicodeScalars.count > limit else { return escaped(text) }
        return escaped(String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit)))) + "…"
    }

    /// A URI without what may be secret in it: user information, query and fragment, and the content of a `data:` URI.
    static func cut(_ uri: String) -> String {
        var result = ""
        var rest = uri[...]
        for range in hiddenRanges(of: rest) {
            result += rest[rest.startIndex..<range.lowerBound] + "…"
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    /// The parts of a URI that may be secret, in order.
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

    /// What a rule says, with the URIs in it cut.
    static func message(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let place = nextURI(in: rest) {
            result += rest[..<place.lowerBound] + cut(String(rest[place]))
            rest = rest[place.upperBound...]
        }
        return shown(result + rest, limit: 1_000)
    }

    /// The next word that holds `://` or a query, or begins with `data:`. A question mark at the end of a word is one.
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
