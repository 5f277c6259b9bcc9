import TextCoding

/// Parsing of ISO 8601 times as seconds since 1970.
package enum UnixTime {
    /// Parses a time such as `2026-11-21T20:15:00Z`; an offset such as `+01:00` may replace the Z, and a fraction is
    /// dropped. Nil for any other text, and for years outside of 1970 to 9999.
    package static func seconds(iso8601 text: String) -> Int64? {
        guard let time = Timestamp(text), time.utcOffset != nil, (0...253_402_300_799).contains(time.seconds) else {
            return nil
        }
        return time.seconds
    }
}
