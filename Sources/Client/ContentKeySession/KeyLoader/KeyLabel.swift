import TextCoding

/// An address or a key URI in a form that can be logged: without query, fragment and user information, which may be
/// secrets, and truncated after 200 characters. A `data:` URI, which contains the key itself, is shown as `data:…`.
public struct KeyLabel: Hashable, Sendable, CustomStringConvertible {
    /// The text to log.
    public let description: String

    /// Creates the label of a URI.
    public init(_ uri: String) {
        guard !DataURI.isDataURI(uri) else {
            description = DataURI.placeholder
            return
        }
        var text = uri.prefix { $0 != "?" && $0 != "#" }
        if let start = text.firstRange(of: "://")?.upperBound {
            let authority = text[start...].prefix { $0 != "/" }
            if let at = authority.lastIndex(of: "@") {
                text = text[..<start] + text[text.index(after: at)...]
            }
        }
        let shown = text.prefix(200).map { $0.isASCII && !$0.isWhitespace && $0 >= " " ? $0 : "?" }
        description = String(shown) + (text.count > 200 ? "…" : "")
    }
}
