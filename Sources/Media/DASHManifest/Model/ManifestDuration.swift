import TextCoding

/// A duration or a point in time of a presentation, to the microsecond: `xs:duration` (XML Schema, part 2, 3.2.6) without
/// years and months, which have no length.
///
///     duration = "P" [ n "D" ] [ "T" [ n "H" ] [ n "M" ] [ n [ "." n ] "S" ] ]
public struct ManifestDuration: Hashable, Sendable {
    /// Microseconds, 0 or more.
    public let microseconds: Int64

    /// The longest one: a hundred years.
    public static let longest = ManifestDuration(microseconds: 100 * 366 * 86_400 * 1_000_000)

    /// Makes a duration; what is below 0 becomes 0.
    public init(microseconds: Int64) { self.microseconds = max(0, microseconds) }

    /// Makes a duration of seconds, to the nearest microsecond; 0 for what is no duration, ``longest`` for what is longer.
    public init(seconds: Double) {
        guard seconds > 0 else {
            self.init(microseconds: 0)
            return
        }
        let most = Double(Self.longest.microseconds)
        self.init(microseconds: Int64(min((seconds * 1e6).rounded(), most)))
    }

    /// In seconds, as near as a Double comes.
    public var seconds: Double { Double(microseconds) / 1e6 }

    /// Reads a duration; nil for anything else, and for what is longer than ``longest``. Digits behind the sixth of a
    /// fraction are cut off.
    public init?(_ text: String) {
        guard let duration = DurationText(text), !duration.hasWeeks,
            duration.seconds <= UInt64(Self.longest.microseconds / 1_000_000)
        else { return nil }
        let total = Int64(duration.seconds) * 1_000_000 + duration.microseconds
        guard total <= Self.longest.microseconds else { return nil }
        self.init(microseconds: total)
    }
}

extension ManifestDuration: CustomStringConvertible {
    /// As it stands in a manifest: seconds, with as many digits behind the point as are needed, such as `PT12.5S`.
    public var description: String {
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest > 0 else { return "PT\(whole)S" }
        var fraction = String(String(rest + 1_000_000).dropFirst())
        while fraction.last == "0" { fraction.removeLast() }
        return "PT\(whole).\(fraction)S"
    }
}

extension ManifestDuration: Comparable {
    /// Whether one is shorter.
    public static func < (left: ManifestDuration, right: ManifestDuration) -> Bool {
        left.microseconds < right.microseconds
    }
}
