import ByteCoding

/// The decimal numbers of section 4.2.
///
///     decimal-integer               = 1*20DIGIT             0 to 2^64-1
///     decimal-floating-point        = *DIGIT [ "." *DIGIT ]  at least one digit
///     signed-decimal-floating-point = [ "-" ] decimal-floating-point
enum Decimal {
    /// Parses the digits at `position`, and advances `position` after them. Returns nil when there are no digits, or
    /// when the number has more than 64 bits.
    @inline(__always)
    static func integer(_ bytes: RawSpan, _ position: inout Int, _ end: Int) -> UInt64? {
        let start = position
        var value: UInt64 = 0
        while position < end {
            let digit = bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self) &- 0x30
            guard digit < 10 else { break }
            let (product, over) = value.multipliedReportingOverflow(by: 10)
            let (sum, beyond) = product.addingReportingOverflow(UInt64(digit))
            guard !over, !beyond else { return nil }
            value = sum
            position += 1
        }
        return position > start ? value : nil
    }

    /// Parses a whole range as an integer.
    static func integer(_ bytes: RawSpan, _ range: Range<Int>) -> UInt64? {
        var position = range.lowerBound
        guard let value = integer(bytes, &position, range.upperBound), position == range.upperBound else { return nil }
        return value
    }

    /// The powers of ten, which a Double represents exactly.
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    ]

    /// Parses the non-negative number at `position`, and advances `position` after it. Returns the nearest Double; nil
    /// when there are no digits. Numbers of more than 18 digits are parsed by the standard library, which is slower.
    @inline(__always)
    static func number(_ bytes: RawSpan, _ position: inout Int, _ end: Int) -> Double? {
        let start = position
        var mantissa: UInt64 = 0
        var digits = 0
        var fraction = -1
        while position < end {
            let byte = bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
            let digit = byte &- 0x30
            if digit < 10 {
                mantissa = mantissa &* 10 &+ UInt64(digit)
                digits += 1
                if fraction >= 0 { fraction += 1 }
            } else if byte == 0x2E, fraction < 0 {
                fraction = 0
            } else {
                break
            }
            position += 1
        }
        guard digits > 0 else { return nil }
        let scale = max(fraction, 0)
        // Both operands are exact, so that only the division rounds.
        if digits <= 18, mantissa <= 1 << 53 { return Double(mantissa) / powers[scale] }
        return slow(bytes, start..<position)
    }

    @inline(never)
    private static func slow(_ bytes: RawSpan, _ range: Range<Int>) -> Double? {
        guard range.count <= 400 else { return nil }
        var text = ""
        for offset in range {
            text.unicodeScalars.append(Unicode.Scalar(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)))
        }
        if text.hasSuffix(".") { text.removeLast() }
        if text.hasPrefix(".") { text = "0" + text }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Parses a whole range as a non-negative number.
    static func number(_ bytes: RawSpan, _ range: Range<Int>) -> Double? {
        var position = range.lowerBound
        guard let value = number(bytes, &position, range.upperBound), position == range.upperBound else { return nil }
        return value
    }

    /// Parses a whole range as a number with or without a sign.
    static func signedNumber(_ bytes: RawSpan, _ range: Range<Int>) -> Double? {
        guard let first = range.first else { return nil }
        guard bytes.unsafeLoad(fromByteOffset: first, as: UInt8.self) == UInt8(ascii: "-") else {
            return number(bytes, range)
        }
        return number(bytes, first + 1..<range.upperBound).map { -$0 }
    }

    /// Parses a range of an array as an integer.
    static func integer(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64? { integer(bytes.span.bytes, range) }
    /// Parses a range of an array as a non-negative number.
    static func number(_ bytes: [UInt8], _ range: Range<Int>) -> Double? { number(bytes.span.bytes, range) }
    /// Parses a range of an array as a number with or without a sign.
    static func signedNumber(_ bytes: [UInt8], _ range: Range<Int>) -> Double? { signedNumber(bytes.span.bytes, range) }

    /// Returns the shortest text that parses to the same number, without an exponent and without `.0`; nil for a number
    /// that is not finite.
    static func text(_ value: Double) -> String? {
        guard value.isFinite else { return nil }
        if value == value.rounded(), abs(value) < 1e18 { return String(Int64(value)) }
        let text = value.description
        guard let mark = text.firstIndex(of: "e") else { return text }
        // Only numbers below 1e-4 and above 2^53 remain. They are no realistic durations, but must still be correct.
        guard let exponent = Int(text[text.index(after: mark)...]) else { return nil }
        let sign = text.hasPrefix("-") ? "-" : ""
        let digits = text[..<mark].filter(\.isNumber)
        guard abs(exponent) < 400 else { return nil }
        if exponent < 0 { return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits }
        return sign + digits + String(repeating: "0", count: max(0, exponent + 1 - digits.count))
    }
}
