import FoundationEssentials

/// Base64 (RFC 4648) as clients really send it.
///
/// Reading takes the standard and the URL-safe alphabet, though not both in one text; padding or none, though not a
/// wrong one; and line breaks (CR and LF) anywhere, since encoders wrap lines. Everything else is refused, unused bits
/// that are set too: two texts must not stand for the same bytes.
enum Base64 {
    /// The bytes in standard base64 with padding.
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// The bytes in URL-safe base64 without padding (RFC 4648, section 5).
    static func encodeURLSafe(_ bytes: [UInt8]) -> String {
        let text = encode(bytes).utf8.compactMap { character -> UInt8? in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: character
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a base64 text; nil when it is none. One pass: SPCs come so, and Foundation's decoder takes no alphabet
    /// but the standard one.
    ///
    /// - Parameter spaceIsPlus: whether a space stands for `+`, as it does once a form was decoded whose client forgot
    ///   to escape it.
    static func decode(_ text: some Collection<UInt8>, spaceIsPlus: Bool = false) -> [UInt8]? {
        let decoded = text.withContiguousStorageIfAvailable { decode($0.span, spaceIsPlus) }
        return decoded ?? decode(Array(text).span, spaceIsPlus)
    }

    private static func decode(_ text: Span<UInt8>, _ spaceIsPlus: Bool) -> [UInt8]? {
        var decoded = Decoded(capacity: text.count / 4 * 3 + 3)
        var position = 0
        while position < text.count {
            // Nearly all of a text is four digits and four digits.
            if decoded.takesGroups { decoded.addGroups(of: text, from: &position) }
            guard position < text.count else { break }
            let character = text[position]
            position += 1
            let meaning = spaceIsPlus && character == UInt8(ascii: " ") ? 62 : Meaning.all[Int(character)]
            if meaning & Meaning.other == 0 {
                guard decoded.padding == 0 else { return nil }
                decoded.add(meaning)
            } else if character == UInt8(ascii: "=") {
                decoded.padding += 1
            } else if character != UInt8(ascii: "\r"), character != UInt8(ascii: "\n") {
                return nil
            }
        }
        return decoded.finished()
    }

    /// What a byte stands for: a digit's value with the alphabet that it is in, if not in both; or nothing.
    private enum Meaning {
        static let standard: UInt16 = 1 << 8
        static let urlSafe: UInt16 = 1 << 9
        static let other: UInt16 = 1 << 10

        static let all: [UInt16] = {
            var all = [UInt16](repeating: other, count: 256)
            let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
            for (value, digit) in digits.utf8.enumerated() { all[Int(digit)] = UInt16(value) }
            for (value, digit) in zip(62..., "+/".utf8) { all[Int(digit)] = UInt16(value) | standard }
            for (value, digit) in zip(62..., "-_".utf8) { all[Int(digit)] = UInt16(value) | urlSafe }
            return all
        }()
    }

    /// What has been read of a text.
    private struct Decoded {
        private var bytes: [UInt8] = []
        /// The last digits, six bits each.
        private var group: UInt32 = 0
        private var digits = 0
        private var alphabets: UInt16 = 0
        var padding = 0

        init(capacity: Int) { bytes.reserveCapacity(capacity) }

        /// Whether four digits make three bytes now.
        var takesGroups: Bool { digits & 3 == 0 && padding == 0 }

        /// Takes four digits at a time for as long as there are four. Room is made once: asking for it byte by byte takes
        /// longer than decoding.
        mutating func addGroups(of text: Span<UInt8>, from position: inout Int) {
            let meanings = Meaning.all.span
            bytes.append(addingCapacity: (text.count - position) / 4 * 3) { bytes in
                while position <= text.count - 4 {
                    let (first, second) = (meanings[Int(text[position])], meanings[Int(text[position + 1])])
                    let (third, fourth) = (meanings[Int(text[position + 2])], meanings[Int(text[position + 3])])
                    let all = first | second | third | fourth
                    guard all & Meaning.other == 0 else { break }
                    alphabets |= all
                    group = UInt32((first & 63) << 6 | second & 63) << 12 | UInt32((third & 63) << 6 | fourth & 63)
                    bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                    bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                    bytes.append(UInt8(truncatingIfNeeded: group))
                    position += 4
                }
            }
        }

        mutating func add(_ meaning: UInt16) {
            alphabets |= meaning
            group = group << 6 | UInt32(meaning & 63)
            digits += 1
            guard digits & 3 == 0 else { return }
            bytes.append(UInt8(truncatingIfNeeded: group >> 16))
            bytes.append(UInt8(truncatingIfNeeded: group >> 8))
            bytes.append(UInt8(truncatingIfNeeded: group))
        }

        /// The bytes; nil when what came is no text of one alphabet, whole, with all padding or none.
        mutating func finished() -> [UInt8]? {
            let both = Meaning.standard | Meaning.urlSafe
            guard alphabets & both != both else { return nil }
            guard padding == 0 || (padding <= 2 && (digits + padding) & 3 == 0) else { return nil }
            switch digits & 3 {
            case 0 where padding == 0:
                return bytes
            case 2 where group & 0xF == 0:
                bytes.append(UInt8(truncatingIfNeeded: group >> 4))
                return bytes
            case 3 where group & 0x3 == 0:
                bytes.append(UInt8(truncatingIfNeeded: group >> 10))
                bytes.append(UInt8(truncatingIfNeeded: group >> 2))
                return bytes
            default:
                return nil
            }
        }
    }
}
