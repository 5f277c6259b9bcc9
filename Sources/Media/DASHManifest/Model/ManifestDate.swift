import TextCoding

/// A point in time of a manifest: `xs:dateTime` (XML Schema, part 2, 3.2.7), to the microsecond. Without a zone it is UTC,
/// as DASH has it.
///
///     date = YYYY "-" MM "-" DD "T" hh ":" mm ":" ss [ "." 1*DIGIT ] [ "Z" / ( "+" / "-" ) hh ":" mm ]
public struct ManifestDate: Hashable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public let microseconds: Int64

    /// Makes a date from microseconds since 1970, from the year 1 to the year 9999; what is outside becomes the nearest.
    public init(microseconds: Int64) {
        self.microseconds = min(max(microseconds, Self.first), Self.last)
    }

    private static let first: Int64 = -62_135_596_800_000_000
    private static let last: Int64 = 253_402_300_799_999_999

    /// The date so much later.
    public func advanced(by duration: ManifestDuration) -> ManifestDate {
        ManifestDate(microseconds: microseconds &+ duration.microseconds)
    }

    /// Reads a date; nil for anything else. Digits behind the sixth of a fraction are cut off.
    public init?(_ text: String) {
        guard let time = Timestamp(text), abs(time.utcOffset ?? 0) < 15 * 60 else { return nil }
        self.init(microseconds: time.seconds * 1_000_000 + Int64(time.nanoseconds / 1000))
    }
}

extension ManifestDate: CustomStringConvertible {
    /// As it stands in a manifest: in UTC, with as many digits behind the point as are needed, such as
    /// `2026-01-01T00:00:00.25Z`.
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
    /// Whether one is earlier.
    public static func < (left: ManifestDate, right: ManifestDate) -> Bool { left.microseconds < right.microseconds }
}
