import Foundation

/// The ways in which bytes travel as text.
enum TextEncodings {
    /// Reads base64: the standard or the URL-safe alphabet, padded or not, with white space anywhere.
    ///
    /// - Returns: nil for anything else, and for nothing.
    static func base64(_ text: some Collection<UInt8>) -> [UInt8]? {
        var characters = text.filter { !isSpace($0) }
        while characters.last == UInt8(ascii: "=") { characters.removeLast() }
        guard !characters.isEmpty, characters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount = 0
        for character in characters {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
                bits &= 1 << bitCount - 1
            }
        }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// Reads hexadecimal of either case, after `0x` or not, with white space anywhere.
    ///
    /// - Returns: nil for anything else, and for nothing.
    static func hexadecimal(_ text: some Collection<UInt8>) -> [UInt8]? {
        var digits = text.filter { !isSpace($0) }
        if digits.starts(with: Array("0x".utf8)) { digits.removeFirst(2) }
        guard !digits.isEmpty, digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Character(UnicodeScalar(digits[start])).hexDigitValue,
                let low = Character(UnicodeScalar(digits[start + 1])).hexDigitValue
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    /// Reads UTF-16 by its byte order mark, or by the zero bytes that it puts between letters.
    ///
    /// - Returns: the text in UTF-8, or nil when this is not UTF-16.
    static func utf16(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 4, bytes.count.isMultiple(of: 2) else { return nil }
        let hasMark = bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
        let pairs = stride(from: hasMark ? 2 : 0, to: bytes.count, by: 2).map { (bytes[$0], bytes[$0 + 1]) }
        func isText(_ pair: (zero: UInt8, letter: UInt8)) -> Bool {
            pair.zero == 0 && (isSpace(pair.letter) || (0x20..<0x7f).contains(pair.letter))
        }
        let isLittleEndian = pairs.allSatisfy { isText((zero: $0.1, letter: $0.0)) }
        guard isLittleEndian || pairs.allSatisfy({ isText((zero: $0.0, letter: $0.1)) }) else { return nil }
        return pairs.map { isLittleEndian ? $0.0 : $0.1 }
    }

    /// Decodes a value of a form body: `%2B` and the like. A space that should have been `+` becomes one again.
    static func formDecoded(_ text: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        let characters = Array(text)
        var position = 0
        while position < characters.count {
            if characters[position] == UInt8(ascii: "%"), position + 2 < characters.count,
                let byte = hexadecimal(characters[position + 1...position + 2])
            {
                bytes += byte
                position += 3
                continue
            }
            bytes.append(characters[position] == UInt8(ascii: " ") ? UInt8(ascii: "+") : characters[position])
            position += 1
        }
        return bytes
    }

    /// White space of ASCII.
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}
