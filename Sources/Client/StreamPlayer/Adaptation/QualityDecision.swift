public import HLSPlaylist

/// The variant for the next segment, with the reason.
public struct QualityDecision: Hashable, Sendable {
    /// The reason for the decision.
    public enum Reason: Hashable, Sendable {
        /// The first choice, by the known throughput.
        case start(Selection.Fit)
        /// There is no reason to switch.
        case steady
        /// No other variant can be played.
        case onlyOne
        /// The throughput, in bits per second, is sufficient for a better variant, or insufficient for the previous
        /// one.
        case throughput(UInt64)
        /// The buffer, in seconds, is low: a switch down for safety, or no switch up yet.
        case bufferLow(Double)
        /// The throughput is insufficient, but the buffer, in seconds, is large enough to wait for it to rise.
        case bufferHigh(Double)
        /// A switch up is delayed until this time, because the last switch was recent.
        case tooSoon(until: Duration)
        /// The download would have taken longer than the buffer lasts; both in seconds.
        case bufferDraining(needed: Double, buffer: Double)
        /// The previous variant failed.
        case failed(VariantFailure)
        /// The player's abilities or limits changed, and the previous variant no longer fits them.
        case noLongerFits([VariantRejection])
        /// All playable variants are excluded. The first exclusion ends at this time; nil means never.
        case allExcluded(until: Duration?)
        /// The device cannot play any variant.
        case nothingPlayable
    }

    /// The variant for the next segment, if any.
    public let variant: Variant?
    /// The previous variant; nil at the start.
    public let previous: Variant?
    /// The reason for the decision.
    public let reason: Reason

    /// True if the variant differs from the previous one.
    public var isSwitch: Bool { variant != nil && previous != nil && variant != previous }
}

/// The number of switches between variants.
public struct SwitchCounts: Hashable, Sendable {
    /// The number of switches to a better variant.
    public internal(set) var up = 0
    /// The number of switches to a lower variant, including those that abandoned a download.
    public internal(set) var down = 0
    /// The number of switches to a variant with the same BANDWIDTH, after a failure or a change of abilities.
    public internal(set) var sideways = 0
    /// The number of abandoned downloads.
    public internal(set) var abandoned = 0
}

/// The progress of a segment download.
public struct DownloadProgress: Hashable, Sendable {
    /// The number of bytes received.
    public var received: UInt64
    /// The size of the whole segment in bytes; nil if the server did not specify it, and then it is estimated from
    /// BANDWIDTH and the duration.
    public var expected: UInt64?
    /// The time since the request.
    public var elapsed: Duration
    /// The EXTINF duration of the segment, in seconds.
    public var segmentDuration: Double

    /// Creates a progress value.
    public init(received: UInt64, expected: UInt64?, elapsed: Duration, segmentDuration: Double) {
        self.received = received
        self.expected = expected
        self.elapsed = elapsed
        self.segmentDuration = segmentDuration
    }
}

/// The decision about a download in progress.
public enum DownloadDecision: Hashable, Sendable {
    /// The download continues.
    case proceed
    /// The download is stopped, and the same time range is loaded from the variant of the decision.
    case abandon(QualityDecision)
}
