import HLSPlaylist

/// How the addresses of playlists and keys are changed so that the player asks its app for them, and changed back.
///
/// A text is put before the address. With the default that makes a scheme which no player knows:
///
/// | What it is of | Address | In the rewritten playlist |
/// |---|---|---|
/// | a playlist | `https://film.example/main.m3u8` | `interceptedhttps://film.example/main.m3u8` |
/// | a key | `https://film.example/key` | `keptkeyhttps://film.example/key` |
///
/// A player that takes no other scheme than `https`, as Keyway's own, is given a host that does not exist, such as
/// `https://playlists.invalid/` before the whole address.
public struct InterceptedAddresses: Hashable, Sendable {
    /// An address as it was.
    public enum Original: Hashable, Sendable {
        /// Of a playlist.
        case playlist(String)
        /// Of a key.
        case key(String)
    }

    /// What stands before the address of a playlist.
    public let playlists: String
    /// What stands before the address of a key.
    public let keys: String

    /// Names the texts; nil if one is empty, or the beginning of the other, or of an address itself.
    public init?(playlists: String, keys: String) {
        let beginnings = [playlists, keys, "http:", "https:"].map { $0.lowercased() }
        for (index, one) in beginnings[..<2].enumerated() {
            guard !one.isEmpty else { return nil }
            for (other, text) in beginnings.enumerated() where other != index && text.hasPrefix(one) { return nil }
        }
        (self.playlists, self.keys) = (playlists, keys)
    }

    private init(unchecked playlists: String, _ keys: String) { (self.playlists, self.keys) = (playlists, keys) }

    /// `intercepted` and `keptkey`.
    public static let schemes = InterceptedAddresses(unchecked: "intercepted", "keptkey")

    /// The address under which the player asks the app for a playlist.
    public func playlist(_ url: String) -> String { playlists + url }

    /// The address under which the player asks the app for a key.
    public func key(_ url: String) -> String { keys + url }

    /// The address that was changed into this one; nil if this one was not, or was no address over HTTP: what a playlist
    /// says must not read the device.
    public func original(of url: String) -> Original? {
        if let rest = Self.rest(of: url, behind: keys) { return .key(rest) }
        if let rest = Self.rest(of: url, behind: playlists) { return .playlist(rest) }
        return nil
    }

    private static func rest(of url: String, behind text: String) -> String? {
        // A scheme and a host say the same in either case.
        guard url.prefix(text.count).lowercased() == text.lowercased() else { return nil }
        let rest = String(url.dropFirst(text.count))
        return isOverHTTP(rest) ? rest : nil
    }

    static func isOverHTTP(_ url: String) -> Bool {
        let scheme = URIReference.scheme(of: url)
        return scheme == "https" || scheme == "http"
    }
}
