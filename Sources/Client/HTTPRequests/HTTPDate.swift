package import Foundation
import TextCoding

/// The dates of HTTP header fields (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete
/// formats that recipients have to accept.
package enum HTTPDate {
    private static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Parses a date; returns nil if it has none of the formats, or does not exist. Years of two digits are those from
    /// 1970 to 2069 (RFC 6265, section 5.1.1); the format with hyphens can also have years of four digits, as in old
    /// Set-Cookie fields.
    ///
    /// Written without DateFormatter, which takes a tenth of a millisecond: each response has two dates.
    package static func parse(_ text: String) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        let words = text.lowercased().split { $0 == " " || $0 == "," || $0 == "-" }
        guard let weekday = words.first, weekdays.contains(where: { weekday.hasPrefix($0) }) else { return nil }
        switch words.count {
        case 6 where words[5] == "gmt": return date(words[3], words[2], words[1], words[4])
        // The output of C's asctime.
        case 5: return date(words[4], words[1], words[2], words[3])
        default: return nil
        }
    }

    private static func date(_ year: Substring, _ month: Substring, _ day: Substring, _ time: Substring) -> Date? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let month = months.firstIndex(of: String(month)).map({ $0 + 1 }), parts.count == 3,
            let written = number(year, 2...4), let day = number(day, 1...2), let hour = number(parts[0], 1...2),
            let minute = number(parts[1], 2...2), let second = number(parts[2], 2...2)
        else { return nil }
        let year = year.utf8.count == 2 ? written + (written < 70 ? 2000 : 1900) : written
        // The second 60 is a leap second, and counts as the following second.
        guard (1...GregorianCalendar.length(year: year, month: month)).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        let days = GregorianCalendar.days(year: year, month: month, day: day)
        return Date(timeIntervalSince1970: Double(days * 86_400 + Int64(hour * 3600 + minute * 60 + second)))
    }

    private static func number(_ text: Substring, _ digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}
