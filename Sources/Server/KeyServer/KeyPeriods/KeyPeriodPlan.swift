package import KeyStore

/// The plan for the key periods of a live channel's track.
///
///     now ----|--------- ahead ---------|
///       | p0  | p1  | p2  | p3  | p4  |     of the same length; each starts at a multiple of it since 1970
package struct KeyPeriodPlan: Sendable, Equatable {
    /// The name of the title.
    package let title: String
    /// The name of the track within the title.
    package let track: String
    /// The duration of a period, in seconds.
    package let length: Int64
    /// How far in advance periods are created, in seconds.
    package let ahead: Int64

    /// The start of the channel, in Unix seconds; periods that end before it are not created.
    package let start: Int64?

    /// Creates a plan; nil if the length is out of bounds, or if there would be more than 500 periods: see
    /// `ChannelRecord`.
    package init?(title: String, track: String, length: Int64, ahead: Int64) {
        guard ChannelRecord.isPlan(length: length, ahead: ahead) else { return nil }
        self.init(title, track, length, ahead, nil)
    }

    /// Returns the plans for the tracks of a schedule; none while it is paused.
    package static func plans(of channel: ChannelRecord) -> [KeyPeriodPlan] {
        channel.isPaused ? [] : allPlans(of: channel)
    }

    /// Returns the plans for the tracks of a schedule, also while it is paused.
    static func allPlans(of channel: ChannelRecord) -> [KeyPeriodPlan] {
        channel.tracks.map { .init(channel.title, $0, channel.length, channel.ahead, channel.start) }
    }

    private init(_ title: String, _ track: String, _ length: Int64, _ ahead: Int64, _ start: Int64?) {
        self.title = title
        self.track = track
        self.length = length
        self.ahead = ahead
        self.start = start
    }

    /// Returns the starts of the period at a time and of the following periods, in Unix seconds.
    package func starts(at time: Int64) -> [Int64] {
        let now = max(time, 0)
        let first = max(now, start ?? 0)
        return Array(stride(from: first - first % length, through: now + ahead, by: Int64.Stride(length)))
    }
}
