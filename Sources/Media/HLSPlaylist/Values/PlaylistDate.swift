import ByteCoding
import TextCoding

/// A point in time in the form of EXT-X-PROGRAM-DATE-TIME and EXT-X-DATERANGE: an ISO 8601 date and time of day.
///
///     date-time = YYYY "-" MM "-" DD "T" hh ":" mm [ ":" ss [ ( "." / "," ) 1*DIGIT ] ] [ zone ]
///     zone      = "Z" / ( "+" / "-" ) hh [ [ ":" ] mm ]
///
/// Section 4.4.4.6. A date without a time zone is interpreted as UTC. The basic format `YYYYMMDDThhmmss` is also
/// accepted.
public struct PlaylistDate: Hashable, Sendable {
    /// The whole seconds since 1970-01-01T00:00:00Z without leap seconds; negative for earlier dates.
    public var seconds: Int64
    /// The nanoseconds after ``seconds``: 0 to 999,999,999.
    public var nanoseconds: Int32
    /// The offset of the date's time zone from UTC, in minutes; nil when the date has no time zone.
    public var utcOffset: Int16?

    /// Creates a date from seconds and nanoseconds since 1970. `utcOffset`, in minutes, only affects the text of the
    /// date.
    public init(seconds: Int64, nanoseconds: Int32 = 0, utcOffset: Int16? = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.utcOffset = utcOffset
    }

    /// Creates a date in UTC from seconds since 1970, such as those of Foundation's `Date`, rounded to the nearest
    /// microsecond. An interval that is not a number, or of more than 10,000 years, results in 1970.
    ///
    ///     PlaylistDate(timeIntervalSince1970: date.timeIntervalSince1970)
    ///     Date(timeIntervalSince1970: playlistDate.timeIntervalSince1970)
    public init(timeIntervalSince1970 interval: Double) {
        // A Double has no more than microseconds of today's dates.
        let whole = interval.rounded(.down)
        let start = PlaylistDate(seconds: 0).advanced(by: whole)
        self = start.advanced(by: ((interval - whole) * 1e6).rounded() / 1e6)
    }

    /// The seconds since 1970, with a precision of about a quarter of a microsecond.
    public var timeIntervalSince1970: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

    /// Returns the number of seconds from the other date to this date.
    public func timeInterval(since other: PlaylistDate) -> Double {
        let (difference, overflow) = seconds.subtractingReportingOverflow(other.seconds)
        return (overflow ? Double(seconds) - Double(other.seconds) : Double(difference))
            + (Double(nanoseconds) - Double(other.nanoseconds)) / 1e9
    }

    /// Returns the date `interval` seconds later, rounded to the nearest nanosecond, in the same time zone. If the
    /// interval is more than 10,000 years or not a number, returns the same date.
    public func advanced(by interval: Double) -> PlaylistDate {
        guard interval.isFinite, abs(interval) < 3.2e11 else { return self }
        let whole = interval.rounded(.down)
        let total = Int64(nanoseconds) + Int64(((interval - whole) * 1e9).rounded())
        let carry = total / 1_000_000_000
        return PlaylistDate(
            seconds: seconds &+ Int64(whole) &+ carry,
            nanoseconds: Int32(total - carry * 1_000_000_000),
            utcOffset: utcOffset
        )
    }
}

extension PlaylistDate: Comparable {
    /// Returns whether the left date is earlier than the right date, regardless of their time zones.
    public static func < (left: PlaylistDate, right: PlaylistDate) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// Returns whether both dates are the same point in time in the same time zone.
    public static func == (left: PlaylistDate, right: PlaylistDate) -> Bool {
        left.seconds == right.seconds && left.nanoseconds == right.nanoseconds && left.utcOffset == right.utcOffset
    }
}

extension PlaylistDate: CustomStringConvertible {
    /// The date in ISO 8601 format.
    public var description: String { text }

    /// Parses a date in ISO 8601 format; nil for any other text.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span.bytes, 0..<bytes.count)
    }

    init?(_ bytes: RawSpan, _ range: Range<Int>) {
        if let date = Self.common(bytes, range) {
            self = date
            return
        }
        var reader = DateReader(position: range.lowerBound, end: range.upperBound)
        guard let date = reader.read(bytes) else { return nil }
        self = date
    }

    /// Parses `YYYY-MM-DDThh:mm:ss.sssZ`, the form of nearly every date; returns nil for any other text.
    @inline(__always)
    private static func common(_ bytes: RawSpan, _ range: Range<Int>) -> PlaylistDate? {
        guard range.count == 24 else { return nil }
        let start = range.lowerBound
        func word(_ offset: Int) -> UInt64 {
            bytes.unsafeLoadUnaligned(fromByteOffset: start + offset, as: UInt64.self).littleEndian
        }
        // "0000-00-", "00T00:00" and ":00.000Z", where 0 means any digit.
        let words = (word(0) ^ 0x2D30_302D_3030_3030, word(8) ^ 0x3030_3A30_3054_3030, word(16) ^ 0x5A30_3030_2E30_303A)
        guard isDigits(words.0, 0x000F_0F00_0F0F_0F0F), isDigits(words.1, 0x0F0F_000F_0F00_0F0F),
            isDigits(words.2, 0x000F_0F0F_000F_0F00)
        else { return nil }
        func digit(_ word: UInt64, _ index: UInt64) -> Int { Int(truncatingIfNeeded: word >> (index * 8) & 0xF) }
        func pair(_ word: UInt64, _ index: UInt64) -> Int { digit(word, index) * 10 + digit(word, index + 1) }
        let year = pair(words.0, 0) * 100 + pair(words.0, 2)
        let month = pair(words.0, 5)
        let day = pair(words.1, 0)
        let (hour, minute, second) = (pair(words.1, 3), pair(words.1, 6), pair(words.2, 1))
        guard (1...12).contains(month), day >= 1, day <= GregorianCalendar.length(year: year, month: month), hour < 24,
            minute < 60, second < 61
        else { return nil }
        return PlaylistDate(
            seconds: GregorianCalendar.days(year: year, month: month, day: day) * 86400
                + Int64(hour * 3600 + minute * 60 + second),
            nanoseconds: Int32(pair(words.2, 4) * 10 + digit(words.2, 6)) * 1_000_000
        )
    }

    /// Returns whether no byte has bits outside the mask, and every byte is at most 9.
    @inline(__always)
    private static func isDigits(_ word: UInt64, _ mask: UInt64) -> Bool {
        word & ~mask == 0 && (word &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0 == 0
    }

    /// True if ``text`` is a valid date: the year has four digits, the nanoseconds are less than a second, and the time
    /// zone offset is less than a day.
    var isWritable: Bool {
        let local = seconds.addingReportingOverflow(Int64(utcOffset ?? 0) * 60)
        return !local.overflow && (-62_167_219_200...253_402_300_799).contains(local.partialValue)
            && (0..<1_000_000_000).contains(nanoseconds) && abs(Int(utcOffset ?? 0)) < 1440
    }

    /// The date in ISO 8601 format with milliseconds, or with microseconds or nanoseconds if they are needed to
    /// preserve the value.
    var text: String {
        let local = seconds &+ Int64(utcOffset ?? 0) * 60
        let time = (local % 86400 + 86400) % 86400
        // `local - time` could overflow.
        let days = local / 86400 - (local % 86400 < 0 ? 1 : 0)
        let (year, month, day) = GregorianCalendar.date(days: days)
        var text = Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2) + "T"
        text +=
            Self.padded(time / 3600, 2) + ":" + Self.padded(time / 60 % 60, 2) + ":" + Self.padded(time % 60, 2) + "."
        let nanoseconds = Int64(self.nanoseconds)
        if nanoseconds % 1_000_000 == 0 {
            text += Self.padded(nanoseconds / 1_000_000, 3)
        } else if nanoseconds % 1000 == 0 {
            text += Self.padded(nanoseconds / 1000, 6)
        } else {
            text += Self.padded(nanoseconds, 9)
        }
        guard let utcOffset else { return text }
        if utcOffset == 0 { return text + "Z" }
        let minutes = Int64(abs(Int(utcOffset)))
        return text + (utcOffset < 0 ? "-" : "+") + Self.padded(minutes / 60, 2) + ":" + Self.padded(minutes % 60, 2)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

/// Parses the grammar of ``PlaylistDate``.
private struct DateReader {
    var position: Int
    let end: Int

    /// Parses exactly `count` digits.
    @inline(__always)
    private mutating func digits(_ bytes: RawSpan, _ count: Int) -> Int? {
        guard position + count <= end else { return nil }
        var value = 0
        for _ in 0..<count {
            let digit = bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self) &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
            position += 1
        }
        return value
    }

    @inline(__always)
    private mutating func skip(_ bytes: RawSpan, _ byte: Unicode.Scalar) -> Bool {
        guard position < end, bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self) == UInt8(ascii: byte) else {
            return false
        }
        position += 1
        return true
    }

    mutating func read(_ bytes: RawSpan) -> PlaylistDate? {
        guard let year = digits(bytes, 4) else { return nil }
        let isExtended = skip(bytes, "-")
        guard let month = digits(bytes, 2), !isExtended || skip(bytes, "-"), let day = digits(bytes, 2),
            (1...12).contains(month), day >= 1, day <= GregorianCalendar.length(year: year, month: month),
            skip(bytes, "T") || skip(bytes, "t") || skip(bytes, " "), let hour = digits(bytes, 2), hour < 25
        else { return nil }
        _ = skip(bytes, ":")
        guard let minute = digits(bytes, 2), minute < 60 else { return nil }
        var second = 0
        var nanoseconds: Int32 = 0
        if skip(bytes, ":") || (!isExtended && position < end && isDigit(bytes)) {
            guard let value = digits(bytes, 2), value < 61 else { return nil }
            second = value
            if skip(bytes, ".") || skip(bytes, ",") {
                guard let value = fraction(bytes) else { return nil }
                nanoseconds = value
            }
        }
        guard hour < 24 || (minute == 0 && second == 0 && nanoseconds == 0) else { return nil }
        guard let zone = zone(bytes), position == end else { return nil }
        let local =
            GregorianCalendar.days(year: year, month: month, day: day) * 86400
            + Int64(hour * 3600 + minute * 60 + second)
        return PlaylistDate(seconds: local - Int64(zone ?? 0) * 60, nanoseconds: nanoseconds, utcOffset: zone)
    }

    private func isDigit(_ bytes: RawSpan) -> Bool {
        bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self) &- 0x30 < 10
    }

    /// Parses the fractional digits. Digits after the ninth are ignored.
    private mutating func fraction(_ bytes: RawSpan) -> Int32? {
        var value: Int32 = 0
        var count = 0
        while position < end, isDigit(bytes) {
            if count < 9 {
                value = value * 10 + Int32(bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self) &- 0x30)
            }
            count += 1
            position += 1
        }
        guard count > 0 else { return nil }
        for _ in 0..<max(0, 9 - count) { value *= 10 }
        return value
    }

    /// Parses the time zone, and returns its offset in minutes. The inner optional is nil when there is no time zone,
    /// the outer when the text is malformed.
    private mutating func zone(_ bytes: RawSpan) -> Int16?? {
        if position == end { return .some(nil) }
        if skip(bytes, "Z") || skip(bytes, "z") { return .some(0) }
        let isNegative = skip(bytes, "-")
        guard isNegative || skip(bytes, "+"), let hours = digits(bytes, 2), hours < 24 else { return nil }
        var minutes = 0
        if skip(bytes, ":") || position < end {
            guard let value = digits(bytes, 2), value < 60 else { return nil }
            minutes = value
        }
        let offset = Int16(hours * 60 + minutes)
        return .some(isNegative ? -offset : offset)
    }
}
