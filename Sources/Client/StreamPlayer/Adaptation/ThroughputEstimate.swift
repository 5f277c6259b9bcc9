/// How fast media comes, from the downloads so far.
///
///     var estimate = ThroughputEstimate()
///     estimate.note(bytes: 1_200_000, duration: .seconds(2))
///     let decision = controller.next(buffer: 12, throughput: estimate.bitsPerSecond, now: clock.now)
///
/// Two exponentially weighted means run side by side, one with a short and one with a long half-life, and the lesser
/// counts: a drop is believed at once, a rise when it lasts. The weight of a download is the time that it took, so the
/// half-lives are seconds of transfer; time in which nothing is loaded changes nothing. Short downloads weigh ten times
/// their time, up to a limit: the segments of a low quality come in no time when the network is fast again, and a player
/// would not find out for minutes. An answer out of a cache weighs next to nothing all the same. Note media only: a playlist or a
/// key says more about the latency than about the throughput.
public struct ThroughputEstimate: Sendable {
    /// How the estimate is made.
    public struct Settings: Hashable, Sendable {
        /// What holds until something was measured, in bits per second.
        public var firstEstimate: UInt64
        /// After how much time of transfer a download counts half in the fast mean.
        public var fastHalfLife: Duration
        /// The same for the slow mean.
        public var slowHalfLife: Duration
        /// Up to which weight a short download weighs ten times its time.
        public var shortWeight: Duration
        /// Downloads of fewer bytes are put together until they have as many: of each alone, the latency would be
        /// measured.
        public var minimumBytes: Int

        /// Makes settings. Half-lives are a millisecond at least.
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

    /// A mean in which older values weigh less. It starts without a value instead of at 0, so the first value counts in
    /// full.
    private struct Mean {
        var sum = 0.0
        var weight = 0.0

        mutating func add(_ value: Double, weight time: Double, halfLife: Double) {
            let kept = Self.power(ofHalf: time / halfLife)
            sum = sum * kept + value * (1 - kept)
            weight = weight * kept + (1 - kept)
        }

        var value: Double? { weight > 0 ? sum / weight : nil }

        /// 0.5 to some power that is not negative. The standard library alone has no such function: whole halvings are
        /// exact, the rest is a series.
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

    /// More than any link has, in bits per second: an answer out of a cache is no measurement.
    private static let ceiling = 1e11

    private let settings: Settings
    private var fast = Mean()
    private var slow = Mean()
    /// Small downloads that were not measured yet.
    private var pendingBytes = 0.0
    private var pendingSeconds = 0.0

    /// Makes an estimate of nothing yet.
    public init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Takes in a download.
    ///
    /// - Parameters:
    ///   - bytes: How many came, headers not counted. None, or fewer, changes nothing.
    ///   - duration: How long they took, from the request on. Zero, or less, changes nothing.
    public mutating func note(bytes: Int, duration: Duration) {
        guard bytes > 0, duration > .zero else { return }
        pendingBytes += Double(bytes)
        pendingSeconds += MediaTime.sane(MediaTime.seconds(duration))
        guard pendingBytes >= Double(settings.minimumBytes) else { return }
        let rate = min(pendingBytes * 8 / pendingSeconds, Self.ceiling)
        let weight = max(pendingSeconds, min(pendingSeconds * 10, MediaTime.seconds(settings.shortWeight)))
        fast.add(rate, weight: weight, halfLife: MediaTime.seconds(settings.fastHalfLife))
        slow.add(rate, weight: weight, halfLife: MediaTime.seconds(settings.slowHalfLife))
        pendingBytes = 0
        pendingSeconds = 0
    }

    /// Whether anything was measured.
    public var isMeasured: Bool { fast.value != nil }

    /// The estimate in bits per second.
    public var bitsPerSecond: UInt64 {
        guard let fast = fast.value, let slow = slow.value else { return settings.firstEstimate }
        // Both are at most the ceiling.
        return UInt64(min(fast, slow).rounded())
    }
}
