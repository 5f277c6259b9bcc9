import ByteCoding

/// Base64 (RFC 4648, sections 4 and 5).
///
/// Decoding is strict by default: it requires the standard alphabet and padding, and rejects other characters and
/// unused bits that are set, so that no two texts decode to the same bytes. A caller can accept variants with
/// ``Options``.
package enum Base64 {
    /// The ways in which decoding deviates from RFC 4648, section 4.
    package struct Options: OptionSet, Sendable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Accepts the URL-safe alphabet instead of the standard alphabet. With ``standardAlphabet``, either alphabet is
        /// accepted, but not both in one text.
        package static let urlSafeAlphabet = Options(rawValue: 1)
        /// Accepts the standard alphabet, which is the default; only necessary in combination with ``urlSafeAlphabet``.
        package static let standardAlphabet = Options(rawValue: 2)
        /// Accepts text without any padding, in addition to text with padding. Wrong padding remains an error.
        package static let missingPadding = Options(rawValue: 4)
        /// Requires text without padding. Takes precedence over ``missingPadding``.
        package static let unpadded = Options(rawValue: 64)
        /// Ignores CR and LF at any position, because some encoders wrap lines.
        package static let lineBreaks = Options(rawValue: 8)
        /// Ignores ASCII whitespace at any position: space, tab, CR, LF, vertical tab and form feed. A space is still
        /// decoded as `+` with ``spaceIsPlus``.
        package static let whitespace = Options(rawValue: 16)
        /// Decodes a space as `+`. Form decoding turns a plus sign into a space if the client did not escape it.
        package static let spaceIsPlus = Options(rawValue: 32)

        /// The variants that FairPlay clients and servers send: either alphabet, with or without padding, with line
        /// breaks.
        package static let lenient: Options = [.standardAlphabet, .urlSafeAlphabet, .missingPadding, .lineBreaks]
        /// Base64url without padding, as in JSON Web Tokens (RFC 7515, section 2).
        package static let base64url: Options = [.urlSafeAlphabet, .unpadded]
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
        var (outputIndex, start) = (0, 0)
        while start < bytes.count {
            let remaining = bytes.count - start
            let group =
                UInt32(bytes[start]) << 16 | (remaining > 1 ? UInt32(bytes[start + 1]) << 8 : 0)
                | (remaining > 2 ? UInt32(bytes[start + 2]) : 0)
            text[outputIndex] = digits[Int(group >> 18)]
            text[outputIndex + 1] = digits[Int(group >> 12 & 63)]
            text[outputIndex + 2] = remaining > 1 ? digits[Int(group >> 6 & 63)] : UInt8(ascii: "=")
            text[outputIndex + 3] = remaining > 2 ? digits[Int(group & 63)] : UInt8(ascii: "=")
            outputIndex += 4
            start += 3
        }
    }

    /// Decodes base64 text. Returns nil if the text is not valid; empty text decodes to no bytes.
    package static func decode(_ text: some StringProtocol, _ options: Options = []) -> [UInt8]? {
        decode(text.utf8, options)
    }

    /// Decodes base64 text in one pass. Text in contiguous storage is not copied, so only the result is allocated.
    /// Returns nil if the text is not valid; empty text decodes to no bytes.
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
        return decoder.finish()
    }
}
