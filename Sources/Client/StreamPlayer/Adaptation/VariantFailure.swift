/// Why a variant was set aside.
public enum VariantFailure: Hashable, Sendable {
    /// The server answered with this status for a playlist or a segment.
    case status(Int)
    /// There was no answer, or none in time.
    case noAnswer
    /// A live playlist does not go on (RFC 8216bis section 6.3.4).
    case stale
    /// The playlist or a segment could not be read.
    case unreadable
    /// The key server refused the key, or the device refused the answer.
    case keyRefused

    /// Whether it will be the same at the next attempt.
    public var isForGood: Bool { self == .keyRefused }
}

/// A variant that is not chosen for now.
public struct VariantSetAside: Hashable, Sendable {
    /// Its Media Playlist, as the Multivariant Playlist has it. All variants with it are set aside.
    public let uri: String
    /// Why.
    public let failure: VariantFailure
    /// Until when, by the clock whose moments the controller is given; nil means for good.
    public let until: Duration?
    /// How often it has failed.
    public let failures: Int
}
