/// Properties of a stream that playlists cannot declare, but that rules depend on.
public struct LintOptions: Hashable, Sendable {
    /// The URIs of the Media Playlists that are intended to be clear although others are encrypted, as in the
    /// Multivariant Playlist or resolved.
    public var clearPlaylists: Set<String>

    /// Creates options.
    public init(clearPlaylists: Set<String> = []) { self.clearPlaylists = clearPlaylists }
}
