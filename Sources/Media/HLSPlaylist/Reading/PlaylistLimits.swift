/// The limits above which strict and lenient parsing reject a playlist with ``RuleID/limitExceeded``.
///
/// A playlist may come from a malicious or defective server. The time for parsing is proportional to the length of the
/// playlist. These limits bound the length, and everything that could grow faster than the length.
public struct PlaylistLimits: Hashable, Sendable {
    /// The maximum size of a playlist, in bytes: 256 MiB. Values above 2 GiB have no effect.
    public var bytes = 256 << 20
    /// The maximum length of a line, in bytes: 1 MiB. The longest lines in practice contain a `data:` URI of about ten
    /// kilobytes.
    public var lineLength = 1 << 20
    /// The maximum number of lines: 10 million.
    public var lines = 10_000_000
    /// The maximum number of attributes of one tag: 256.
    public var attributes = 256
    /// The maximum number of Media Segments: 2 million, which is 46 days of two-second segments.
    public var segments = 2_000_000
    /// The maximum number of key formats of the EXT-X-KEY tags: 16. Playlists in practice use up to five.
    public var keyFormats = 16
    /// The maximum number of EXT-X-DEFINE tags: 1,000.
    public var variables = 1_000
    /// The maximum number of bytes that variable substitution may add to one playlist: 16 MiB.
    public var substitutedBytes = 16 << 20
    /// The maximum number of diagnostics that lenient parsing collects: 10,000. Later diagnostics are discarded.
    public var diagnostics = 10_000

    /// Creates the default limits.
    public init() {}
}
