public import HLSPlaylist

/// What to load next, and why.
public struct QualityDecision: Hashable, Sendable {
    /// Why it is this variant.
    public enum Reason: Hashable, Sendable {
        /// The first choice, by what is known of the throughput.
        case start(Selection.Fit)
        /// Nothing asks for another one.
        case steady
        /// There is no other one that can be played.
        case onlyOne
        /// The throughput, in bits per second, is enough for a better one, or too little for the one before.
        case throughput(UInt64)
        /// The buffer, in seconds, is low: it went down to be safe, or does not go up yet.
        case bufferLow(Double)
        /// The throughput is too little, but the buffer, in seconds, is rich enough to wait for it to rise.
        case bufferRich(Double)
        /// It would go up, but not so soon after the last switch: not before this moment.
        case tooSoon(until: Duration)
        /// The download would have taken longer, in seconds, than the buffer lasts.
        case runningDry(needed: Double, buffer: Double)
        /// The one before failed.
        case failed(VariantFailure)
        /// The player's abilities or limits have changed, and the one before does not fit them any more.
        case noLongerFits([VariantRejection])
        /// All that could be played are set aside. The first comes back at the moment; nil means never.
        case allSetAside(until: Duration?)
        /// None can be played on this device.
        case nothingPlayable
    }

    /// The variant to load the next segment of; nil when there is none.
    public let variant: Variant?
    /// The variant before; nil at the start.
    public let previous: Variant?
    /// Why.
    public let reason: Reason

    /// Whether it is another variant than before.
    public var isSwitch: Bool { variant != nil && previous != nil && variant != previous }
}

/// How often the variant was changed.
public struct SwitchCounts: Hashable, Sendable {
    /// To a better one.
    public internal(set) var up = 0
    /// To a lesser one; those that abandoned a download are among them.
    public internal(set) var down = 0
    /// To one with the same BANDWIDTH, after a failure or a change of abilities.
    public internal(set) var sideways = 0
    /// Downloads that were abandoned.
    public internal(set) var abandoned = 0
}

/// How far the download of a segment is.
public struct DownloadProgress: Hashable, Sendable {
    /// The bytes that have come.
    public var received: UInt64
    /// The bytes of the whole segment; nil when the server does not say, and then BANDWIDTH and the duration tell.
    public var expected: UInt64?
    /// The time since the request.
    public var elapsed: Duration
    /// The duration of the segment in seconds: EXTINF.
    public var segmentDuration: Double

    /// Makes a progress.
    public init(received: UInt64, expected: UInt64?, elapsed: Duration, segmentDuration: Double) {
        self.received = received
        self.expected = expected
        self.elapsed = elapsed
        self.segmentDuration = segmentDuration
    }
}

/// Whether a download goes on.
public enum DownloadVerdict: Hashable, Sendable {
    /// Go on.
    case proceed
    /// Stop it, and load the same stretch of time from the variant of the decision.
    case abandon(QualityDecision)
}
