import HLSPlaylist

/// A reversible change of playlist and key addresses that makes the player request them from its app.
///
/// A prefix is added to the address. With the default prefixes, the result has a scheme that the player does not
/// support:
///
/// | Resource | Address | In the rewritten playlist |
/// |---|---|---|
/// | a playlist | `https://film.example/main.m3u8` | `interceptedhttps://film.example/main.m3u8` |
/// | a key | `https://film.example/key` | `keptkeyhttps://film.example/key` |
///
/// A player that supports only the scheme `https`, such as Keyway's own, needs a prefix with a host that does not
/// exist, such as `https://playlists.invalid/`.
public struct InterceptedAddresses: Hashable, Sendable {
    /// The original address of a resource.
    public enum Original: Hashable, Sendable {
        /// The address of a playlist.
        case playlist(String)
        /// The address of a key.
        case key(String)
    }

    /// The prefix of playlist addresses.
    public let playlists: String
    /// The prefix of key addresses.
    public let keys: String

    /// Creates prefixes; nil if one is empty, or is a prefix of the other or of an HTTP address.
    public init?(playlists: String, keys: String) {
        let prefixes = [playlists, keys, "http:", "https:"].map { $0.lowercased() }
        for (index, one) in prefixes[..<2].enumerated() {
            guard !one.isEmpty else { return nil }
            for (other, text) in prefixes.enumerated() where other != index && text.hasPrefix(one) { return nil }
        }
        (self.playlists, self.keys) = (playlists, keys)
    }

    private init(unchecked playlists: String, _ keys: String) { (self.playlists, self.keys) = (playlists, keys) }

    /// The prefixes `intercepted` and `keptkey`.
    public static let schemes = InterceptedAddresses(unchecked: "intercepted", "keptkey")

    /// Returns the address under which the player requests a playlist from the app.
    public func playlist(_ url: String) -> String { playlists + url }

    /// Returns the address under which the player requests a key from the app.
    public func key(_ url: String) -> String { keys + url }

    /// Returns the original of a changed address. Nil if the address was not changed, or if the original is not an HTTP
    /// address: a playlist must not be able to read local files.
    public func original(of url: String) -> Original? {
        if let rest = Self.rest(of: url, behind: keys) { return .key(rest) }
        if let rest = Self.rest(of: url, behind: playlists) { return .playlist(rest) }
        return nil
    }

    private static func rest(of url: String, behind text: String) -> String? {
        // Schemes and hosts are case-insensitive.
        guard url.prefix(text.count).lowercased() == text.lowercased() else { return nil }
        let rest = String(url.dropFirst(text.count))
        return isOverHTTP(rest) ? rest : nil
    }

    static func isOverHTTP(_ url: String) -> Bool {
        let scheme = URIReference.scheme(of: url)
        return scheme == "https" || scheme == "http"
    }
}
