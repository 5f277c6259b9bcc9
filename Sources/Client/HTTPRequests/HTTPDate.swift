package import Foundation

/// The dates of HTTP header fields (RFC 9110, section 5.6.7).
package enum HTTPDate {
    /// The formats that recipients have to accept. The second one also accepts years of four digits, as in old
    /// Set-Cookie fields.
    private static let formats = [
        "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy",
    ]

    /// Parses a date; returns nil if it has none of the formats.
    package static func parse(_ text: String) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        for format in formats {
            formatter.dateFormat = format
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }
}
