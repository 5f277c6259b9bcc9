import Foundation
import TextCoding

/// The text encodings of binary data.
enum TextEncodings {
    /// Decodes base64: the standard or the URL-safe alphabet, with or without padding, with white space anywhere.
    ///
    /// - Returns: The bytes; nil if the text is empty or not base64.
    static func base64(_ text: some Collection<UInt8>) -> [UInt8]? {
        let bytes = Base64.decode(text, [.lenient, .whitespace])
        return bytes?.isEmpty == true ? nil : bytes
    }

    /// Decodes UTF-16, which is detected by its byte order mark, or by the zero bytes of ASCII letters.
    ///
    /// - Returns: The text in UTF-8; nil if the bytes are not UTF-16.
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

    /// Decodes a value of a form body, such as `%2B`. Spaces are converted to `+`, because base64 contains no spaces.
    static func formDecoded(_ text: some Collection<UInt8>) -> [UInt8] {
        PercentEncoding.decodeLeniently(text.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 })
    }

    /// Returns whether a byte is ASCII white space.
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}
