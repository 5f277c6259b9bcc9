/// How far ahead the key periods of a live channel's track are made.
///
///     now ----|--------- ahead ---------|
///       | p0  | p1  | p2  | p3  | p4  |     of one length each; they begin at its multiples since 1970
public struct KeyPeriodPlan: Sendable, Equatable {
    /// The title, by its name.
    public let title: String
    /// The track, by its name within the title.
    public let track: String
    /// How long a period is, in seconds.
    public let length: Int64
    /// How far ahead there are to be periods, in seconds.
    public let ahead: Int64

    /// From a minute to a month.
    public static let lengths: ClosedRange<Int64> = 60...2_678_400
    /// As many periods as are made at once: they are stored in one transaction.
    public static let mostPeriods: Int64 = 500

    /// Describes a plan; nil when the length is out of bounds, or it would come to more than 500 periods.
    public init?(title: String, track: String, length: Int64, ahead: Int64) {
        guard Self.lengths.contains(length), ahead >= 0, ahead / length < Self.mostPeriods - 1 else { return nil }
        self.title = title
        self.track = track
        self.length = length
        self.ahead = ahead
    }

    /// The beginnings of the period at a time, in Unix seconds, and of those up to so far ahead.
    public func starts(at time: Int64) -> [Int64] {
        let now = max(time, 0)
        return Array(stride(from: now - now % length, through: now + ahead, by: Int64.Stride(length)))
    }
}
