/// The reason for the exclusion of a variant.
public enum VariantFailure: Hashable, Sendable {
    /// The server responded with this status for a playlist or a segment.
    case status(Int)
    /// No response arrived before the timeout.
    case noResponse
    /// A live playlist is no longer updated (RFC 8216bis section 6.3.4).
    case stale
    /// The playlist or a segment could not be parsed or decrypted.
    case unreadable
    /// The key server refused the key, or the device rejected its response.
    case keyRefused

    /// True if a further attempt would fail too.
    public var isPermanent: Bool { self == .keyRefused }
}

/// A variant that is excluded from selection.
public struct ExcludedVariant: Hashable, Sendable {
    /// The URI of its Media Playlist, as in the Multivariant Playlist. All variants with this URI are excluded.
    public let uri: String
    /// The reason for the exclusion.
    public let failure: VariantFailure
    /// The end of the exclusion, by the clock whose times are passed to the controller; nil means permanent.
    public let until: Duration?
    /// The number of failures.
    public let failures: Int
}
