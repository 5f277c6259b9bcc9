/// A WebVTT timestamp in milliseconds (W3C WebVTT, 4.1 and 6.3).
///
///     timestamp    = [ hours ":" ] minutes ":" seconds "." milliseconds
///     hours        = 1*DIGIT   a first number without exactly two digits is always hours
///     minutes      = 2DIGIT    00 to 59
///     seconds      = 2DIGIT    00 to 59
///     milliseconds = 3DIGIT
enum WebVTTTimestamp {
    /// Reads a timestamp at `position` and moves `position` after it. Returns nil if there is no valid timestamp, by
    /// the rules that browsers use.
    static func read(_ bytes: [UInt8], _ position: inout Int, end: Int) -> Int64? {
        guard let (first, digits) = number(bytes, &position, end) else { return nil }
        guard consume(UInt8(ascii: ":"), bytes, &position, end), let second = twoDigits(bytes, &position, end) else {
            return nil
        }
        var (hours, minutes, seconds) = (Int64(0), first, second)
        if digits != 2 || (position < end && bytes[position] == UInt8(ascii: ":")) {
            guard consume(UInt8(ascii: ":"), bytes, &position, end), let third = twoDigits(bytes, &position, end) else {
                return nil
            }
            (hours, minutes, seconds) = (first, second, third)
        }
        guard consume(UInt8(ascii: "."), bytes, &position, end),
            let (milliseconds, digitCount) = number(bytes, &position, end), digitCount == 3,
            minutes <= 59, seconds <= 59
        else { return nil }
        return (hours * 60 + minutes) * 60_000 + seconds * 1000 + milliseconds
    }

    /// Writes a timestamp with hours, which every player supports. `milliseconds` must not be negative.
    static func write(_ milliseconds: Int64, to text: inout [UInt8]) {
        let time = max(milliseconds, 0)
        writePadded(time / 3_600_000, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        writePadded(time / 60_000 % 60, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        writePadded(time / 1000 % 60, 2, to: &text)
        text.append(UInt8(ascii: "."))
        writePadded(time % 1000, 3, to: &text)
    }

    private static func writePadded(_ number: Int64, _ digitCount: Int, to text: inout [UInt8]) {
        let digits = String(number).utf8
        text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(digitCount - digits.count, 0)))
        text.append(contentsOf: digits)
    }

    /// The maximum number that is read, so that the sum in milliseconds fits in 64 bits.
    private static let maximum: Int64 = 1_000_000_000_000

    /// Reads decimal digits. Returns nil if there are none or the number is too large.
    private static func number(_ bytes: [UInt8], _ position: inout Int, _ end: Int) -> (Int64, digits: Int)? {
        let start = position
        var value: Int64 = 0
        while position < end, case 0x30...0x39 = bytes[position] {
            value = value * 10 + Int64(bytes[position] - 0x30)
            guard value <= maximum else { return nil }
            position += 1
        }
        return position > start ? (value, position - start) : nil
    }

    private static func twoDigits(_ bytes: [UInt8], _ position: inout Int, _ end: Int) -> Int64? {
        guard let (value, digits) = number(bytes, &position, end), digits == 2 else { return nil }
        return value
    }

    private static func consume(_ byte: UInt8, _ bytes: [UInt8], _ position: inout Int, _ end: Int) -> Bool {
        guard position < end, bytes[position] == byte else { return false }
        position += 1
        return true
    }
}
