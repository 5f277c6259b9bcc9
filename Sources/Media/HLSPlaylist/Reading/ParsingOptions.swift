/// What reading a playlist depends on beside its bytes.
public struct ParsingOptions: Sendable {
    /// The URL from which the playlist came, after redirections: EXT-X-DEFINE with QUERYPARAM takes values from its
    /// query.
    public var url: String?
    /// The variables of the Multivariant Playlist that led to this Media Playlist, for EXT-X-DEFINE with IMPORT; nil
    /// when there was none.
    public var importedVariables: [String: String]?
    /// How much is read before the playlist is refused.
    public var limits: PlaylistLimits

    /// Makes options. A playlist read without a URL has no query; one without imported variables has no Multivariant
    /// Playlist.
    public init(
        url: String? = nil,
        importedVariables: [String: String]? = nil,
        limits: PlaylistLimits = PlaylistLimits()
    ) {
        self.url = url
        self.importedVariables = importedVariables
        self.limits = limits
    }
}
