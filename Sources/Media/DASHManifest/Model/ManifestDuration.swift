import TextCoding

/// A duration or a presentation time in microseconds: `xs:duration` (XML Schema, part 2, 3.2.6) without years and
/// months, whose lengths vary.
///
///     duration = "P" [ n "D" ] [ "T" [ n "H" ] [ n "M" ] [ n [ "." n ] "S" ] ]
public struct ManifestDuration: Hashable, Sendable {
    /// The number of microseconds, at least 0.
    public let microseconds: Int64

    /// The longest supported duration: a hundred years.
    public static let longest = ManifestDuration(microseconds: 100 * 366 * 86_400 * 1_000_000)

    /// Creates a duration. A negative value becomes 0.
    public init(microseconds: Int64) { self.microseconds = max(0, microseconds) }

    /// Creates a duration in seconds, rounded to the nearest microsecond. A negative value and NaN become 0. A longer
    /// duration than ``longest`` becomes ``longest``.
    public init(seconds: Double) {
        guard seconds > 0 else {
            self.init(microseconds: 0)
            return
        }
        let most = Double(Self.longest.microseconds)
        self.init(microseconds: Int64(min((seconds * 1e6).rounded(), most)))
    }

    /// The duration in seconds.
    public var seconds: Double { Double(microseconds) / 1e6 }

    /// Parses a duration; nil for any other text, and for a duration longer than ``longest``. Fractional digits after
    /// the sixth are ignored.
    public init?(_ text: String) {
        guard let duration = ISO8601Duration(text), !duration.hasWeeks,
            duration.seconds <= UInt64(Self.longest.microseconds / 1_000_000)
        else { return nil }
        let total = Int64(duration.seconds) * 1_000_000 + duration.microseconds
        guard total <= Self.longest.microseconds else { return nil }
        self.init(microseconds: total)
    }
}

extension ManifestDuration: CustomStringConvertible {
    /// The text in a manifest: seconds with as many fractional digits as needed, such as `PT12.5S`.
    public var description: String {
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest > 0 else { return "PT\(whole)S" }
        var fraction = String(String(rest + 1_000_000).dropFirst())
        while fraction.last == "0" { fraction.removeLast() }
        return "PT\(whole).\(fraction)S"
    }
}

extension ManifestDuration: Comparable {
    /// Returns whether the left duration is shorter.
    public static func < (left: ManifestDuration, right: ManifestDuration) -> Bool {
        left.microseconds < right.microseconds
    }
}
