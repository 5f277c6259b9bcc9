import Foundation

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
        let pattern =
            #/([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,30}))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))?/#
        guard text.utf8.count <= 100, let match = text.wholeMatch(of: pattern),
            let date = try? Date.ISO8601FormatStyle.iso8601.parse(match.1 + "Z"),
            // Days that a month does not have are not carried into the next one.
            date.formatted(.iso8601) == match.1 + "Z"
        else { return nil }
        var total = Int64(date.timeIntervalSince1970.rounded()) * 1_000_000
        if let fraction = match.2 {
            total += Int64(fraction.prefix(6) + String(repeating: "0", count: max(0, 6 - fraction.count))) ?? 0
        }
        if let sign = match.3, let hours = match.4.flatMap({ Int64($0) }), let minutes = match.5.flatMap({ Int64($0) })
        {
            guard hours <= 14, minutes < 60 else { return nil }
            total -= (sign == "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000_000
        }
        self.init(microseconds: total)
    }
}

extension ManifestDate: CustomStringConvertible {
    /// As it stands in a manifest: in UTC, with as many digits behind the point as are needed, such as
    /// `2026-01-01T00:00:00.25Z`.
    public var description: String {
        var (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if rest < 0 { (whole, rest) = (whole - 1, rest + 1_000_000) }
        let text = Date(timeIntervalSince1970: Double(whole)).formatted(.iso8601)
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
