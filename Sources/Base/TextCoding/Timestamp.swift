/// A timestamp according to RFC 3339, a profile of ISO 8601 that XML Schema's `dateTime` also uses.
///
///     timestamp = YYYY "-" MM "-" DD "T" hh ":" mm ":" ss [ "." 1*DIGIT ] [ zone ]
///     zone      = "Z" / ( "+" / "-" ) hh ":" mm
package struct Timestamp: Hashable, Sendable {
    /// The whole seconds since 1970-01-01T00:00:00Z, without leap seconds; negative before that time. A time without a
    /// zone counts as UTC.
    package let seconds: Int64
    /// The nanoseconds after ``seconds``: 0 to 999,999,999. Further digits are discarded.
    package let nanoseconds: Int32
    /// The offset of the zone from UTC in minutes; nil if the text has no zone, which RFC 3339 does not allow.
    package let utcOffset: Int?

    /// Parses a timestamp. Returns nil if the text is not valid, for example if the month does not have the day. A leap
    /// second is parsed as the following second.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 64 else { return nil }
        var reader = Reader(Array(text.utf8))
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T"), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2),
            (1...12).contains(month), (1...GregorianCalendar.length(year: year, month: month)).contains(day),
            hour < 24, minute < 60, second < 61
        else { return nil }
        var nanoseconds: Int32 = 0
        if reader.skip(".") {
            guard let fraction = reader.fraction() else { return nil }
            nanoseconds = fraction
        }
        var utcOffset: Int?
        if reader.skip("Z") {
            utcOffset = 0
        } else if !reader.isAtEnd {
            let isNegative = reader.skip("-")
            guard isNegative || reader.skip("+"), let hours = reader.number(2), reader.skip(":"),
                let minutes = reader.number(2), hours < 24, minutes < 60
            else { return nil }
            utcOffset = (isNegative ? -1 : 1) * (hours * 60 + minutes)
        }
        guard reader.isAtEnd else { return nil }
        seconds =
            GregorianCalendar.days(year: year, month: month, day: day) * 86_400
            + Int64(hour * 3600 + minute * 60 + second - (utcOffset ?? 0) * 60)
        self.nanoseconds = nanoseconds
        self.utcOffset = utcOffset
    }

    /// Returns the text in UTC for a number of seconds since 1970, such as `2026-11-21T20:15:00Z`.
    package static func text(seconds: Int64) -> String { local(seconds) + "Z" }

    /// Returns the text in UTC for a number of milliseconds since 1970, such as `2026-11-21T20:15:00.250Z`.
    package static func text(milliseconds: Int64) -> String {
        let rest = (milliseconds % 1000 + 1000) % 1000
        // `milliseconds - rest` could overflow.
        let seconds = milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
        return local(seconds) + "." + padded(rest, 3) + "Z"
    }

    private static func local(_ seconds: Int64) -> String {
        let time = (seconds % 86_400 + 86_400) % 86_400
        let (year, month, day) = GregorianCalendar.date(days: seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0))
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T" + padded(time / 3600, 2) + ":"
            + padded(time / 60 % 60, 2) + ":" + padded(time % 60, 2)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value.magnitude)
        return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

private struct Reader {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { position == text.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func digit() -> Int? {
        guard position < text.count, (0x30...0x39).contains(text[position]) else { return nil }
        defer { position += 1 }
        return Int(text[position] - 0x30)
    }

    /// Reads exactly `count` digits as a number.
    mutating func number(_ count: Int) -> Int? {
        var value = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Reads one or more digits of a fraction as nanoseconds.
    mutating func fraction() -> Int32? {
        var (value, unit): (Int32, Int32) = (0, 100_000_000)
        guard var digit = digit() else { return nil }
        while true {
            value += Int32(digit) * unit
            unit /= 10
            guard let next = self.digit() else { return value }
            digit = next
        }
    }
}
