/// A point in time or a duration, as a whole number of units of 1/timescale second. Times with different timescales are
/// compared exactly.
public struct RationalTime: Sendable {
    /// The number of units.
    public var value: Int64
    /// The number of units per second; not 0.
    public var timescale: UInt32

    /// Creates a time. `timescale` is in units per second and must not be 0.
    public init(_ value: Int64, timescale: UInt32) {
        precondition(timescale > 0, "the timescale must not be 0")
        self.value = value
        self.timescale = timescale
    }

    /// Returns the time from another time to this one, in units of this one's timescale.
    static func difference(_ time: RationalTime, _ earlier: RationalTime) -> RationalTime {
        RationalTime(time.value &- earlier.converted(to: time.timescale), timescale: time.timescale)
    }

    /// Zero.
    public static let zero = RationalTime(0, timescale: 1)

    /// The time in seconds, rounded to a Double.
    public var seconds: Double { Double(value) / Double(timescale) }

    /// Converts the time to another timescale, rounded to the nearest unit, halves away from zero. Values beyond 64
    /// bits are clamped.
    public func converted(to other: UInt32) -> Int64 {
        if other == timescale { return value }
        let (high, low) = value.magnitude.multipliedFullWidth(by: UInt64(other))
        let divisor = UInt64(timescale)
        guard high < divisor else { return value < 0 ? .min : .max }
        var (quotient, remainder) = divisor.dividingFullWidth((high, low))
        if remainder >= divisor - remainder { quotient = quotient == .max ? .max : quotient + 1 }
        return value < 0 ? -Int64(clamping: quotient) : Int64(clamping: quotient)
    }
}

extension RationalTime: Comparable, Hashable {
    /// Returns whether two times are equal, whatever their timescales.
    public static func == (left: RationalTime, right: RationalTime) -> Bool { compare(left, right) == 0 }

    /// Returns whether a time is earlier than another, whatever their timescales.
    public static func < (left: RationalTime, right: RationalTime) -> Bool { compare(left, right) < 0 }

    /// Hashes the time so that equal times have equal hashes.
    public func hash(into hasher: inout Hasher) {
        let divisor = Self.greatestCommonDivisor(value.magnitude, UInt64(timescale))
        hasher.combine(value / Int64(divisor))
        hasher.combine(UInt64(timescale) / divisor)
    }

    private static func compare(_ left: RationalTime, _ right: RationalTime) -> Int {
        if left.timescale == right.timescale {
            return (left.value > right.value ? 1 : 0) - (left.value < right.value ? 1 : 0)
        }
        let first = left.value.multipliedFullWidth(by: Int64(right.timescale))
        let second = right.value.multipliedFullWidth(by: Int64(left.timescale))
        if first == second { return 0 }
        return first < second ? -1 : 1
    }

    private static func greatestCommonDivisor(_ left: UInt64, _ right: UInt64) -> UInt64 {
        var (left, right) = (left, right)
        while right != 0 { (left, right) = (right, left % right) }
        return max(left, 1)
    }
}
