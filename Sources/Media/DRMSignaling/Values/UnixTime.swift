import TextCoding

/// Seconds since 1970 of times as people and XML write them.
package enum UnixTime {
    /// Reads `2026-11-21T20:15:00Z`, also with `+01:00` in place of the Z and with a fraction, which is dropped. Nil for
    /// anything else, and for years outside of 1970 to 9999.
    package static func seconds(iso8601 text: String) -> Int64? {
        guard let time = Timestamp(text), time.utcOffset != nil, (0...253_402_300_799).contains(time.seconds) else {
            return nil
        }
        return time.seconds
    }
}
