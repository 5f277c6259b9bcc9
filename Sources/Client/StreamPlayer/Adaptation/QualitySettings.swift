import HLSPlaylist

/// The weights of the buffer in ``QualityController``. The throughput's share and margin belong to the selector:
/// `safetyFactor` of its abilities, and `upSwitchMargin`.
public struct QualitySettings: Hashable, Sendable {
    /// The minimum buffer for a switch up, in seconds.
    public var upSwitchBuffer: Double
    /// The buffer, in seconds, below which only a part of the throughput is used.
    public var lowBuffer: Double
    /// The part of the throughput used below ``lowBuffer``, above 0 and at most 1.
    public var lowBufferShare: Double
    /// The buffer, in seconds, above which a low throughput does not cause a switch down, because it may rise again.
    public var highBuffer: Double
    /// The minimum time between any switch and a switch up.
    public var upSwitchInterval: Duration
    /// The minimum time of a download before it can be abandoned.
    public var abandonAfter: Duration
    /// The time for which a variant is excluded after one failure. Each further failure doubles it.
    public var exclusionDuration: Duration
    /// The maximum time for which a variant is temporarily excluded.
    public var maximumExclusionDuration: Duration

    /// Creates settings.
    public init(
        upSwitchBuffer: Double = 10,
        lowBuffer: Double = 4,
        lowBufferShare: Double = 0.5,
        highBuffer: Double = 25,
        upSwitchInterval: Duration = .seconds(8),
        abandonAfter: Duration = .milliseconds(500),
        exclusionDuration: Duration = .seconds(30),
        maximumExclusionDuration: Duration = .seconds(480)
    ) {
        self.upSwitchBuffer = upSwitchBuffer
        self.lowBuffer = lowBuffer
        self.lowBufferShare = lowBufferShare
        self.highBuffer = highBuffer
        self.upSwitchInterval = upSwitchInterval
        self.abandonAfter = abandonAfter
        self.exclusionDuration = exclusionDuration
        self.maximumExclusionDuration = maximumExclusionDuration
    }

    /// Returns these settings for a buffer of limited size in seconds, such as near the live edge: `upSwitchBuffer` is
    /// at most half of it, `lowBuffer` at most a fifth, and `highBuffer` at most nine tenths.
    public func fitting(buffer seconds: Double) -> QualitySettings {
        let seconds = PlaybackTime.clamped(seconds)
        var result = self
        result.upSwitchBuffer = min(upSwitchBuffer, seconds / 2)
        result.lowBuffer = min(lowBuffer, seconds / 5)
        result.highBuffer = min(highBuffer, seconds * 0.9)
        return result
    }
}
