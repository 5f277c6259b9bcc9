package import KeyStore

/// How far ahead the key periods of a live channel's track are made.
///
///     now ----|--------- ahead ---------|
///       | p0  | p1  | p2  | p3  | p4  |     of one length each; they begin at its multiples since 1970
package struct KeyPeriodPlan: Sendable, Equatable {
    /// The title, by its name.
    package let title: String
    /// The track, by its name within the title.
    package let track: String
    /// How long a period is, in seconds.
    package let length: Int64
    /// How far ahead there are to be periods, in seconds.
    package let ahead: Int64

    /// No period is made that ends before this, in Unix seconds.
    package let start: Int64?

    /// Describes a plan; nil when the length is out of bounds, or it would come to more than 500 periods: see
    /// `ChannelRecord`.
    package init?(title: String, track: String, length: Int64, ahead: Int64) {
        guard ChannelRecord.isPlan(length: length, ahead: ahead) else { return nil }
        self.init(title, track, length, ahead, nil)
    }

    /// What a schedule wants made of each of its tracks: nothing while it is paused.
    package static func plans(of channel: ChannelRecord) -> [KeyPeriodPlan] {
        guard !channel.isPaused else { return [] }
        return channel.tracks.map { .init(channel.title, $0, channel.length, channel.ahead, channel.start) }
    }

    private init(_ title: String, _ track: String, _ length: Int64, _ ahead: Int64, _ start: Int64?) {
        self.title = title
        self.track = track
        self.length = length
        self.ahead = ahead
        self.start = start
    }

    /// The beginnings of the period at a time, in Unix seconds, and of those up to so far ahead.
    package func starts(at time: Int64) -> [Int64] {
        let now = max(time, 0)
        let first = max(now, start ?? 0)
        return Array(stride(from: first - first % length, through: now + ahead, by: Int64.Stride(length)))
    }
}
