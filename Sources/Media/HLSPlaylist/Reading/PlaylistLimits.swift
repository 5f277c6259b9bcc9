/// How much of a playlist is read before it is refused, with ``RuleID/limitExceeded``, in strict and in lenient
/// reading.
///
/// A playlist comes from a server that may be hostile or broken. Reading takes time in proportion to its length; these
/// limits bound the length, and everything that could grow faster.
public struct PlaylistLimits: Hashable, Sendable {
    /// The greatest size of a playlist, in bytes: 256 MiB. At most 2 GiB.
    public var bytes = 256 << 20
    /// The greatest length of a line, in bytes: 1 MiB. The longest lines in use carry a `data:` URI of some ten
    /// kilobytes.
    public var lineLength = 1 << 20
    /// The greatest number of lines: 10 million.
    public var lines = 10_000_000
    /// The greatest number of attributes in one tag: 256.
    public var attributes = 256
    /// The greatest number of media segments: 2 million, which is 46 days of segments of two seconds.
    public var segments = 2_000_000
    /// The greatest number of key formats among the EXT-X-KEY tags: 16. In use are up to five at once.
    public var keyFormats = 16
    /// The greatest number of EXT-X-DEFINE tags: 1,000.
    public var variables = 1_000
    /// How many bytes variable substitution may add to one playlist: 16 MiB.
    public var substitutedBytes = 16 << 20
    /// How many diagnostics lenient reading keeps, before it stops adding: 10,000.
    public var diagnostics = 10_000

    /// The documented limits.
    public init() {}
}
