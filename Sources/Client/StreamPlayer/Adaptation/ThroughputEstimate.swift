import HLSPlaylist

/// An estimate of the media throughput from past downloads.
///
///     var estimate = ThroughputEstimate()
///     estimate.note(bytes: 1_200_000, duration: .seconds(2))
///     let decision = controller.next(buffer: 12, throughput: estimate.bitsPerSecond, now: clock.now)
///
/// The estimate is the lower of two exponentially weighted moving averages, one with a short and one with a long
/// half-life: a drop takes effect at once, a rise only if it lasts. The weight of a download is its duration, so
/// half-lives are seconds of transfer; idle time has no effect. A short download weighs ten times its duration, up to a
/// limit: otherwise, after the network has become fast again, the short downloads of low-quality segments would have
/// almost no effect for minutes. A response from a cache still weighs next to nothing. Note only media: a playlist or a
/// key measures the latency rather than the throughput.
public struct ThroughputEstimate: Sendable {
    /// The parameters of the estimate.
    public struct Settings: Hashable, Sendable {
        /// The estimate before the first measurement, in bits per second.
        public var firstEstimate: UInt64
        /// The transfer time after which a download's weight in the fast average is halved.
        public var fastHalfLife: Duration
        /// The transfer time after which a download's weight in the slow average is halved.
        public var slowHalfLife: Duration
        /// The maximum weight of a download that weighs ten times its duration.
        public var shortWeight: Duration
        /// The minimum size of a measurement, in bytes: smaller downloads are combined, because each alone would
        /// measure the latency.
        public var minimumBytes: Int

        /// Creates settings. Half-lives are at least one millisecond.
        public init(
            firstEstimate: UInt64 = 1_000_000,
            fastHalfLife: Duration = .seconds(3),
            slowHalfLife: Duration = .seconds(9),
            shortWeight: Duration = .milliseconds(500),
            minimumBytes: Int = 16 * 1024
        ) {
            self.firstEstimate = firstEstimate
            self.fastHalfLife = max(fastHalfLife, .milliseconds(1))
            self.slowHalfLife = max(slowHalfLife, .milliseconds(1))
            self.shortWeight = shortWeight
            self.minimumBytes = minimumBytes
        }
    }

    /// An exponentially weighted average. It starts without a value instead of at 0, so the first value counts in full.
    private struct Mean {
        var sum = 0.0
        var weight = 0.0

        mutating func add(_ value: Double, weight time: Double, halfLife: Double) {
            let kept = Self.power(ofHalf: time / halfLife)
            sum = sum * kept + value * (1 - kept)
            weight = weight * kept + (1 - kept)
        }

        var value: Double? { weight > 0 ? sum / weight : nil }

        /// Returns 0.5 to the power of a nonnegative exponent. The standard library has no such function without
        /// Foundation: the integer part is exact, the rest is a power series.
        private static func power(ofHalf exponent: Double) -> Double {
            guard exponent < 1000 else { return 0 }
            let whole = exponent.rounded(.down)
            let x = -(exponent - whole) * 0.693_147_180_559_945_3
            var term = 1.0
            var result = 1.0
            for n in 1...16 {
                term *= x / Double(n)
                result += term
            }
            return Double(sign: .plus, exponent: -Int(whole), significand: result)
        }
    }

    /// The maximum rate in bits per second, above that of any link: a response from a cache is not a measurement.
    private static let ceiling = 1e11

    private let settings: Settings
    private var fast = Mean()
    private var slow = Mean()
    /// The combined small downloads that were not measured yet.
    private var pendingBytes = 0.0
    private var pendingSeconds = 0.0

    /// Creates an estimate without measurements.
    public init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Adds a download to the estimate.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes received, without headers. 0 or less has no effect.
    ///   - duration: The time from the request to the last byte. Zero or less has no effect.
    public mutating func note(bytes: Int, duration: Duration) {
        guard bytes > 0, duration > .zero else { return }
        pendingBytes += Double(bytes)
        pendingSeconds += PlaybackTime.clamped(PlaybackTime.seconds(duration))
        guard pendingBytes >= Double(settings.minimumBytes) else { return }
        let rate = min(pendingBytes * 8 / pendingSeconds, Self.ceiling)
        let weight = max(pendingSeconds, min(pendingSeconds * 10, PlaybackTime.seconds(settings.shortWeight)))
        fast.add(rate, weight: weight, halfLife: PlaybackTime.seconds(settings.fastHalfLife))
        slow.add(rate, weight: weight, halfLife: PlaybackTime.seconds(settings.slowHalfLife))
        pendingBytes = 0
        pendingSeconds = 0
    }

    /// True if a download was measured.
    public var isMeasured: Bool { fast.value != nil }

    /// The estimate in bits per second.
    public var bitsPerSecond: UInt64 {
        guard let fast = fast.value, let slow = slow.value else { return settings.firstEstimate }
        // Both are at most the ceiling.
        return UInt64(min(fast, slow).rounded())
    }
}
