/// Functions that parse and resolve URI references (RFC 3986, section 5.2), for URLs and for file paths.
///
///     URI-reference = [ scheme ":" ] [ "//" authority ] path [ "?" query ] [ "#" fragment ]
public enum URIReference {
    private struct Parts {
        var scheme: Substring?
        var authority: Substring?
        var path: Substring
        var query: Substring?
        var fragment: Substring?

        init(_ text: String) {
            var rest = text[...]
            if let hash = rest.firstIndex(of: "#") {
                fragment = rest[rest.index(after: hash)...]
                rest = rest[..<hash]
            }
            if let mark = rest.firstIndex(of: "?") {
                query = rest[rest.index(after: mark)...]
                rest = rest[..<mark]
            }
            if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
                scheme = rest[..<colon]
                rest = rest[rest.index(after: colon)...]
            }
            if rest.hasPrefix("//") {
                let start = rest.index(rest.startIndex, offsetBy: 2)
                let end = rest[start...].firstIndex(of: "/") ?? rest.endIndex
                authority = rest[start..<end]
                rest = rest[end...]
            }
            path = rest
        }

        static func isScheme(_ text: Substring) -> Bool {
            guard let first = text.utf8.first, (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first) else {
                return false
            }
            return text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
                default: false
                }
            }
        }

        var text: String {
            (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path
                + (query.map { "?" + $0 } ?? "")
                + (fragment.map { "#" + $0 } ?? "")
        }
    }

    /// Returns the scheme in lowercase; nil for a relative reference.
    public static func scheme(of uri: String) -> String? { Parts(uri).scheme.map { $0.lowercased() } }

    /// Returns the path without query and fragment.
    public static func path(of uri: String) -> String { String(Parts(uri).path) }

    /// Returns whether a URI has neither a scheme nor an authority.
    public static func isRelative(_ uri: String) -> Bool {
        let parts = Parts(uri)
        return parts.scheme == nil && parts.authority == nil
    }

    /// Resolves a reference against a base URI.
    ///
    /// - Parameters:
    ///   - reference: A URI, absolute or relative.
    ///   - base: The URI or the file path of the playlist that contains the reference.
    public static func resolve(_ reference: String, against base: String) -> String {
        var parts = Parts(reference)
        if parts.scheme != nil { return reference }
        let base = Parts(base)
        parts.scheme = base.scheme
        if parts.authority == nil {
            parts.authority = base.authority
            if parts.path.isEmpty {
                parts.path = base.path
                parts.query = parts.query ?? base.query
            } else if parts.path.hasPrefix("/") {
                parts.path = withoutDots(parts.path)[...]
            } else if base.authority != nil, base.path.isEmpty {
                parts.path = withoutDots("/" + parts.path)[...]
            } else {
                let folder = base.path.lastIndex(of: "/").map { base.path[...$0] } ?? ""
                parts.path = withoutDots(folder + parts.path)[...]
            }
        }
        return parts.text
    }

    /// Removes dot segments (section 5.2.4). A relative file path may begin with `..`.
    private static func withoutDots(_ path: Substring) -> String {
        let isAbsolute = path.hasPrefix("/")
        var result: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { result.append("") }
            case "..":
                if let last = result.last, last != "..", !(result.count == 1 && isAbsolute) {
                    result.removeLast()
                } else if !isAbsolute {
                    result.append("..")
                }
                if isLast { result.append("") }
            default: result.append(segment)
            }
        }
        return result.joined(separator: "/")
    }
}
