/// Hexadecimal digits (RFC 4648, section 8) in ASCII. Encoding uses lowercase unless a format requires uppercase.
/// Decoding accepts both cases, and rejects prefixes, white space and an odd number of digits.
package enum Hexadecimal {
    /// Returns the value of a digit in either case, or nil for any other byte.
    @inlinable
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    /// Returns the lowercase digit of a value from 0 to 15; higher bits are ignored.
    @inlinable
    package static func digit(_ value: UInt8) -> UInt8 {
        let value = value & 15
        return value < 10 ? 0x30 + value : 0x61 + value - 10
    }

    /// Returns the uppercase digit of a value from 0 to 15; higher bits are ignored.
    @inlinable
    package static func uppercaseDigit(_ value: UInt8) -> UInt8 {
        let value = value & 15
        return value < 10 ? 0x30 + value : 0x41 + value - 10
    }

    /// Encodes each byte as two lowercase digits.
    package static func encode(_ bytes: some Collection<UInt8>) -> String { encode(bytes, digit) }

    /// Encodes each byte as two uppercase digits.
    package static func encodeUppercase(_ bytes: some Collection<UInt8>) -> String { encode(bytes, uppercaseDigit) }

    /// Encodes a number in lowercase digits, most significant digit first. The number of digits is that of the type,
    /// or, if `digits` is set, the number of necessary digits and at least `digits`.
    package static func encode<Number: FixedWidthInteger & UnsignedInteger>(
        _ number: Number,
        digits: Int = Number.bitWidth / 4
    ) -> String {
        let needed = max(1, (Number.bitWidth - number.leadingZeroBitCount + 3) / 4)
        let count = max(needed, digits)
        return String(unsafeUninitializedCapacity: count) { text in
            var rest = number
            for place in (0..<count).reversed() {
                text[place] = digit(UInt8(truncatingIfNeeded: rest))
                rest >>= 4
            }
            return count
        }
    }

    /// Decodes pairs of digits. Returns nil if the text is not valid; empty text decodes to no bytes.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(text.utf8) }

    /// Decodes pairs of digits. Returns nil if the text is not valid; empty text decodes to no bytes.
    package static func decode(_ digits: some Collection<UInt8>) -> [UInt8]? {
        digits.withContiguousStorageIfAvailable { decode($0) } ?? Array(digits).withUnsafeBufferPointer { decode($0) }
    }

    // Concrete collections, because generic code calls a function of the collection for every byte.
    private static func decode(_ digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func encode(_ bytes: some Collection<UInt8>, _ digit: (UInt8) -> UInt8) -> String {
        bytes.withContiguousStorageIfAvailable { encode($0, digit) }
            ?? Array(bytes).withUnsafeBufferPointer { encode($0, digit) }
    }

    private static func encode(_ bytes: UnsafeBufferPointer<UInt8>, _ digit: (UInt8) -> UInt8) -> String {
        let count = bytes.count * 2
        return String(unsafeUninitializedCapacity: count) { text in
            var place = 0
            for byte in bytes {
                text[place] = digit(byte >> 4)
                text[place + 1] = digit(byte)
                place += 2
            }
            return count
        }
    }
}
