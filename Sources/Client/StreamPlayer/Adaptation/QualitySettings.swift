/// How ``QualityController`` weighs the buffer. The throughput's share and margin are the selector's: `safetyFactor` of
/// its abilities, and `upSwitchMargin`.
public struct QualitySettings: Hashable, Sendable {
    /// Seconds of buffer below which it does not go up.
    public var upSwitchBuffer: Double
    /// Seconds of buffer below which only a part of the throughput counts.
    public var lowBuffer: Double
    /// The part of the throughput that counts below ``lowBuffer``, above 0 and at most 1.
    public var lowBufferShare: Double
    /// Seconds of buffer from which on it does not go down for the throughput's sake: the rate may come back.
    public var richBuffer: Double
    /// How long after any switch it does not go up.
    public var upSwitchInterval: Duration
    /// How long a download runs before it may be abandoned.
    public var abandonAfter: Duration
    /// How long a variant that failed once is set aside. Each further failure doubles it.
    public var failurePause: Duration
    /// The longest that a variant is set aside for a time.
    public var longestFailurePause: Duration

    /// Makes settings.
    public init(
        upSwitchBuffer: Double = 10,
        lowBuffer: Double = 4,
        lowBufferShare: Double = 0.5,
        richBuffer: Double = 25,
        upSwitchInterval: Duration = .seconds(8),
        abandonAfter: Duration = .milliseconds(500),
        failurePause: Duration = .seconds(30),
        longestFailurePause: Duration = .seconds(480)
    ) {
        self.upSwitchBuffer = upSwitchBuffer
        self.lowBuffer = lowBuffer
        self.lowBufferShare = lowBufferShare
        self.richBuffer = richBuffer
        self.upSwitchInterval = upSwitchInterval
        self.abandonAfter = abandonAfter
        self.failurePause = failurePause
        self.longestFailurePause = longestFailurePause
    }

    /// These settings for a buffer that cannot have more than some seconds, as near the live edge: to go up it takes no
    /// more than half of them, a low buffer is a fifth of them at most, and a rich one nine tenths.
    public func fitting(buffer seconds: Double) -> QualitySettings {
        let seconds = MediaTime.sane(seconds)
        var result = self
        result.upSwitchBuffer = min(upSwitchBuffer, seconds / 2)
        result.lowBuffer = min(lowBuffer, seconds / 5)
        result.richBuffer = min(richBuffer, seconds * 0.9)
        return result
    }
}
