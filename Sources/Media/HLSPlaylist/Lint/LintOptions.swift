/// Properties of a stream that playlists cannot declare, but that rules depend on.
public struct LintOptions: Hashable, Sendable {
    /// The URIs of the Media Playlists that are intended to be clear although others are encrypted, as in the
    /// Multivariant Playlist or resolved.
    public var clearPlaylists: Set<String>
    /// True if the rules for reloads compare URIs without their queries, which may contain tokens that change.
    public var ignoresQueries: Bool

    /// Creates options.
    public init(clearPlaylists: Set<String> = [], ignoresQueries: Bool = false) {
        self.clearPlaylists = clearPlaylists
        self.ignoresQueries = ignoresQueries
    }
}
