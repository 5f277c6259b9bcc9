import ByteCoding

/// Base64 (RFC 4648, sections 4 and 5).
///
/// Decoding is strict by default: it requires the standard alphabet and padding, and rejects other characters and
/// unused bits that are set, so that no two texts decode to the same bytes. ``Options`` list the variants that callers
/// can accept.
package enum Base64 {
    /// The variants that a decoder accepts in addition to section 4.
    package struct Options: OptionSet, Sendable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The URL-safe alphabet instead of the standard alphabet. With ``standardAlphabet``, either alphabet is
        /// accepted, but not both in one text.
        package static let urlSafeAlphabet = Options(rawValue: 1)
        /// The standard alphabet; necessary only in combination with ``urlSafeAlphabet``.
        package static let standardAlphabet = Options(rawValue: 2)
        /// Text without any padding, in addition to text with padding. Wrong padding remains an error.
        package static let missingPadding = Options(rawValue: 4)
        /// Only text without padding.
        package static let unpadded = Options(rawValue: 64)
        /// CR and LF at any position, because encoders wrap lines.
        package static let lineBreaks = Options(rawValue: 8)
        /// ASCII white space at any position.
        package static let whiteSpace = Options(rawValue: 16)
        /// A space as `+`. Form decoding turns a plus sign into a space if the client did not escape it.
        package static let spaceIsPlus = Options(rawValue: 32)

        /// The variants that FairPlay clients and servers send: either alphabet, with or without padding, with line
        /// breaks.
        package static let lenient: Options = [.standardAlphabet, .urlSafeAlphabet, .missingPadding, .lineBreaks]
        /// Base64url without padding, as in JSON Web Tokens (RFC 7515, section 2).
        package static let url: Options = [.urlSafeAlphabet, .unpadded]
    }

    private static let standardDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlSafeDigits = Array(standardDigits.dropLast(2)) + Array("-_".utf8)

    /// Encodes bytes with the standard alphabet and padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        let count = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: count) { text in
            encode(bytes, standardDigits, into: text)
            return count
        }
    }

    /// Encodes bytes with the URL-safe alphabet, without padding.
    package static func encodeURLSafe(_ bytes: [UInt8]) -> String {
        let count = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: count) { text in
            encode(bytes, urlSafeDigits, into: text)
            return count - (3 - bytes.count % 3) % 3
        }
    }

    private static func encode(_ bytes: [UInt8], _ digits: [UInt8], into text: UnsafeMutableBufferPointer<UInt8>) {
        let (bytes, digits) = (bytes.span, digits.span)
        var (place, start) = (0, 0)
        while start < bytes.count {
            let left = bytes.count - start
            let group =
                UInt32(bytes[start]) << 16 | (left > 1 ? UInt32(bytes[start + 1]) << 8 : 0)
                | (left > 2 ? UInt32(bytes[start + 2]) : 0)
            text[place] = digits[Int(group >> 18)]
            text[place + 1] = digits[Int(group >> 12 & 63)]
            text[place + 2] = left > 1 ? digits[Int(group >> 6 & 63)] : UInt8(ascii: "=")
            text[place + 3] = left > 2 ? digits[Int(group & 63)] : UInt8(ascii: "=")
            place += 4
            start += 3
        }
    }

    /// Decodes base64 text. Returns nil if the text is not valid; empty text decodes to no bytes.
    package static func decode(_ text: some StringProtocol, _ options: Options = []) -> [UInt8]? {
        decode(text.utf8, options)
    }

    /// Decodes base64 text in one pass with one allocation. Returns nil if the text is not valid; empty text decodes to
    /// no bytes.
    package static func decode(_ text: some Collection<UInt8>, _ options: Options = []) -> [UInt8]? {
        let decoded = text.withContiguousStorageIfAvailable { decode($0.span, options) }
        return decoded ?? decode(Array(text).span, options)
    }

    private static func decode(_ text: Span<UInt8>, _ options: Options) -> [UInt8]? {
        var decoder = Base64Decoder(capacity: text.count / 4 * 3 + 3, options)
        var position = 0
        while position < text.count {
            // Almost all of the text consists of groups of four digits.
            if decoder.isAtGroupBoundary { decoder.addGroups(of: text, from: &position) }
            guard position < text.count else { break }
            guard decoder.add(text[position]) else { return nil }
            position += 1
        }
        return decoder.finished()
    }
}
