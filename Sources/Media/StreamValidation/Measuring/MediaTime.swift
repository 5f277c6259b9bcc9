/// A time of media: a number of units, and the number of units per second. No rounding, so that the end of one segment
/// can be compared with the start of the next.
public struct MediaTime: Hashable, Sendable {
    /// The number of units.
    public var value: Int64
    /// The number of units per second; not 0.
    public var timescale: UInt32

    /// Creates a time.
    public init(_ value: Int64, timescale: UInt32) {
        self.value = value
        self.timescale = max(1, timescale)
    }

    /// The time in seconds.
    public var seconds: Double { Double(value) / Double(timescale) }

    /// The timescale of MPEG-2 transport streams, packed audio and X-TIMESTAMP-MAP.
    public static let transportTimescale: UInt32 = 90_000

    /// The number of units after which the timestamps of a transport stream start again at 0: 2^33, some 26.5 hours.
    static let transportPeriod: Int64 = 1 << 33

    /// Returns the timestamp of a transport stream that is nearest to another one, without wraparound.
    static func unwrapped(_ value: Int64, near other: Int64) -> Int64 {
        let distance = (value - other) % transportPeriod
        let half = transportPeriod / 2
        let nearest =
            distance > half ? distance - transportPeriod : distance < -half ? distance + transportPeriod : distance
        return other + nearest
    }
}
