/// The input of parsing a playlist in addition to its bytes.
public struct ParsingOptions: Sendable {
    /// The URL from which the playlist was loaded, after redirects. EXT-X-DEFINE with QUERYPARAM reads values from its
    /// query.
    public var url: String?
    /// The variables of the Multivariant Playlist that refers to this Media Playlist, for EXT-X-DEFINE with IMPORT; nil
    /// when there is no Multivariant Playlist.
    public var importedVariables: [String: String]?
    /// The types of tags that the draft does not define. Without its type, such a tag is reported as
    /// ``RuleID/unknownTag``; with it, a malformed value is reported as ``RuleID/malformedTagValue``.
    public var customTags: [any CustomTag.Type] = []
    /// The limits of the size of the playlist.
    public var limits: PlaylistLimits

    /// Creates options. Without a URL, a playlist has no query parameters; without imported variables, it has no
    /// Multivariant Playlist.
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
