import Foundation
import TextCoding

/// The ways in which bytes travel as text.
enum TextEncodings {
    /// Reads base64: the standard or the URL-safe alphabet, padded or not, with white space anywhere.
    ///
    /// - Returns: nil for anything else, and for nothing.
    static func base64(_ text: some Collection<UInt8>) -> [UInt8]? {
        let bytes = Base64.decode(text, [.lenient, .whiteSpace])
        return bytes?.isEmpty == true ? nil : bytes
    }

    /// Reads hexadecimal of either case, after `0x` or not, with white space anywhere.
    ///
    /// - Returns: nil for anything else, and for nothing.
    static func hexadecimal(_ text: some Collection<UInt8>) -> [UInt8]? {
        var digits = text.filter { !isSpace($0) }
        if digits.starts(with: Array("0x".utf8)) { digits.removeFirst(2) }
        return digits.isEmpty ? nil : Hexadecimal.decode(digits)
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
        PercentEncoding.decodeLeniently(text.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 })
    }

    /// White space of ASCII.
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}
