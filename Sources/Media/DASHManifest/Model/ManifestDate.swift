import TextCoding

/// A date and time of a manifest in microseconds: `xs:dateTime` (XML Schema, part 2, 3.2.7). A date without a time zone
/// is in UTC, as DASH specifies.
///
///     date = YYYY "-" MM "-" DD "T" hh ":" mm ":" ss [ "." 1*DIGIT ] [ "Z" / ( "+" / "-" ) hh ":" mm ]
public struct ManifestDate: Hashable, Sendable {
    /// The microseconds since 1970-01-01T00:00:00Z without leap seconds.
    public let microseconds: Int64

    /// Creates a date from microseconds since 1970. A date outside the years 1 to 9999 becomes the nearest date within
    /// them.
    public init(microseconds: Int64) {
        self.microseconds = min(max(microseconds, Self.first), Self.last)
    }

    private static let first: Int64 = -62_135_596_800_000_000
    private static let last: Int64 = 253_402_300_799_999_999

    /// Returns the date later by a duration.
    public func advanced(by duration: ManifestDuration) -> ManifestDate {
        ManifestDate(microseconds: microseconds &+ duration.microseconds)
    }

    /// Parses a date; nil for any other text. Fractional digits after the sixth are ignored.
    public init?(_ text: String) {
        guard let time = Timestamp(text), abs(time.utcOffset ?? 0) < 15 * 60 else { return nil }
        self.init(microseconds: time.seconds * 1_000_000 + Int64(time.nanoseconds / 1000))
    }
}

extension ManifestDate: CustomStringConvertible {
    /// The text in a manifest: in UTC with as many fractional digits as needed, such as `2026-01-01T00:00:00.25Z`.
    public var description: String {
        var (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if rest < 0 { (whole, rest) = (whole - 1, rest + 1_000_000) }
        let text = Timestamp.text(seconds: whole)
        guard rest > 0 else { return text }
        var fraction = String(String(rest + 1_000_000).dropFirst())
        while fraction.last == "0" { fraction.removeLast() }
        return "\(text.dropLast()).\(fraction)Z"
    }
}

extension ManifestDate: Comparable {
    /// Returns whether the left date is earlier.
    public static func < (left: ManifestDate, right: ManifestDate) -> Bool { left.microseconds < right.microseconds }
}
