import TextCoding

/// A duration in whole seconds, which a TLLV stores in 4 bytes.
public struct Seconds: RawRepresentable, Hashable, Sendable {
    /// The number of seconds.
    public let rawValue: UInt32

    /// Creates a duration from its number of seconds.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The longest duration that a policy can grant; 0xFFFFFFFF in a TLLV means "never expires" (Table 6-2).
    public static let maximum = Seconds(rawValue: .max - 1)

    /// Parses an ISO 8601 duration of weeks, days, hours, minutes and whole seconds, such as `PT10M` or `P1DT12H`.
    ///
    /// Returns nil for years and months, which have no fixed length, for fractions, and for durations longer than
    /// ``maximum``.
    public init?(iso8601 text: String) {
        guard let duration = ISO8601Duration(text), duration.fraction == nil,
            duration.seconds <= UInt64(Self.maximum.rawValue)
        else { return nil }
        rawValue = UInt32(duration.seconds)
    }
}

extension Seconds: Comparable, CustomStringConvertible {
    /// Returns whether the left duration is shorter.
    public static func < (left: Seconds, right: Seconds) -> Bool { left.rawValue < right.rawValue }

    /// The duration in ISO 8601: days, hours, minutes and seconds.
    public var description: String {
        let parts: [(UInt32, String)] = [
            (rawValue / 3600 % 24, "H"), (rawValue / 60 % 60, "M"), (rawValue % 60, "S"),
        ]
        let days = rawValue / 86_400
        let time = parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
        guard rawValue > 0 else { return "PT0S" }
        return "P" + (days > 0 ? "\(days)D" : "") + (time.isEmpty ? "" : "T" + time)
    }
}
