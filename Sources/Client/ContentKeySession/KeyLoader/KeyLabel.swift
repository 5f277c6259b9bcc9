/// An address or a key's URI as it may stand in a log: without query, fragment and user, which may be secrets, and cut
/// after 200 characters.
public struct KeyLabel: Hashable, Sendable, CustomStringConvertible {
    /// What is shown.
    public let description: String

    /// Takes what may be shown of a URI.
    public init(_ uri: String) {
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
