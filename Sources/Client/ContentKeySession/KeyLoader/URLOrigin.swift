import HLSPlaylist

/// The scheme and authority of an HTTP URL. A token is sent only to the license server's origin, because a playlist can
/// specify any other origin.
package struct URLOrigin: Hashable, Sendable, CustomStringConvertible {
    private let text: String

    /// The scheme and the authority, such as `https://keys.example`.
    package var description: String { text }

    /// Creates the origin of a URL; nil if it is not an HTTP URL.
    package init?(_ url: String) {
        guard let scheme = URIReference.scheme(of: url), scheme == "https" || scheme == "http" else { return nil }
        let rest = url.dropFirst(scheme.count + 1)
        guard rest.hasPrefix("//") else { return nil }
        let authority = rest.dropFirst(2).prefix { !"/?#\\".contains($0) }
        guard !authority.isEmpty else { return nil }
        text = scheme + "://" + authority.lowercased()
    }
}
