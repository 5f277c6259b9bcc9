import Foundation

/// Times as people and XML write them: ISO 8601 with a time zone.
package enum UnixTime {
    /// Reads `2026-11-21T20:15:00Z`, also with `+01:00` in place of the Z and with a fraction, which is cut off. Nil for
    /// anything else, and for years outside of 1970 to 9999.
    package static func seconds(iso8601 text: String) -> Int64? {
        guard text.utf8.count <= 40 else { return nil }
        var text = text
        if let point = text.firstIndex(of: ".") {
            let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
            guard !digits.isEmpty else { return nil }
            text.removeSubrange(point..<digits.endIndex)
        }
        // The formatter takes what looks like a time at the beginning; the pattern holds that nothing else follows.
        let pattern = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})/
        guard text.wholeMatch(of: pattern) != nil, let date = try? Date(text, strategy: .iso8601) else { return nil }
        let seconds = Int64(date.timeIntervalSince1970)
        return (0...253_402_300_799).contains(seconds) ? seconds : nil
    }

    /// Writes a time in UTC.
    package static func iso8601(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}
