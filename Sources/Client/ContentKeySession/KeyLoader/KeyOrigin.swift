import HLSPlaylist

/// Scheme and authority of an address over HTTP. A token goes to the license server's alone: a playlist may name any other.
struct KeyOrigin: Hashable {
    private let text: String

    init?(_ url: String) {
        guard let scheme = URIReference.scheme(of: url), scheme == "https" || scheme == "http" else { return nil }
        let rest = url.dropFirst(scheme.count + 1)
        guard rest.hasPrefix("//") else { return nil }
        let authority = rest.dropFirst(2).prefix { !"/?#\\".contains($0) }
        guard !authority.isEmpty else { return nil }
        text = scheme + "://" + authority.lowercased()
    }
}
