import ByteCoding

/// Base64 (RFC 4648, sections 4 and 5).
///
/// Reading is strict unless told otherwise: the standard alphabet, padding, nothing in between, and no unused bits that are
/// set, so that two texts never mean the same bytes. What a caller's peers really send is named in ``Options``.
package enum Base64 {
    /// What a reader accepts beyond section 4.
    package struct Options: OptionSet, Sendable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The URL-safe alphabet in place of the standard one; with ``standardAlphabet``, either of the two, but not both in
        /// one text.
        package static let urlSafeAlphabet = Options(rawValue: 1)
        /// The standard alphabet; needed only beside ``urlSafeAlphabet``.
        package static let standardAlphabet = Options(rawValue: 2)
        /// A text without any padding. Wrong padding stays an error.
        package static let missingPadding = Options(rawValue: 4)
        /// A text without padding is the only form.
        package static let unpadded = Options(rawValue: 64)
        /// CR and LF anywhere, since encoders wrap lines.
        package static let lineBreaks = Options(rawValue: 8)
        /// All white space of ASCII anywhere.
        package static let whiteSpace = Options(rawValue: 16)
        /// A space means `+`: what a form's decoder leaves when its client forgot to escape the plus.
        package static let spaceIsPlus = Options(rawValue: 32)

        /// What clients and servers of FairPlay send: either alphabet, padding or none, wrapped lines.
        package static let lenient: Options = [.standardAlphabet, .urlSafeAlphabet, .missingPadding, .lineBreaks]
        /// Base64url without padding, as JSON Web Tokens have it (RFC 7515, section 2).
        package static let url: Options = [.urlSafeAlphabet, .unpadded]
    }

    private static let standardDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlSafeDigits = Array(standardDigits.dropLast(2)) + Array("-_".utf8)

    /// The bytes in the standard alphabet, with padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        let count = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: count) { text in
            encode(bytes, standardDigits, into: text)
            return count
        }
    }

    /// The bytes in the URL-safe alphabet, without padding.
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

    /// The bytes of a base64 text; nil for anything else. No characters are no bytes.
    package static func decode(_ text: some StringProtocol, _ options: Options = []) -> [UInt8]? {
        decode(text.utf8, options)
    }

    /// The bytes of a base64 text; nil for anything else. No characters are no bytes. One pass, one allocation.
    package static func decode(_ text: some Collection<UInt8>, _ options: Options = []) -> [UInt8]? {
        let decoded = text.withContiguousStorageIfAvailable { decode($0.span, options) }
        return decoded ?? decode(Array(text).span, options)
    }

    private static func decode(_ text: Span<UInt8>, _ options: Options) -> [UInt8]? {
        var decoder = Base64Decoder(capacity: text.count / 4 * 3 + 3, options)
        var position = 0
        while position < text.count {
            // Nearly all of a text is groups of four digits.
            if decoder.takesGroups { decoder.addGroups(of: text, from: &position) }
            guard position < text.count else { break }
            guard decoder.add(text[position]) else { return nil }
            position += 1
        }
        return decoder.finished()
    }
}
