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
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 3)
        var group: UInt32 = 0
        var characters = 0
        var padding = 0
        var alphabets: UInt8 = 0
        for character in text {
            let meaning = Self.meanings[Int(character)]
            if meaning < 64 {
                guard padding == 0 else { return nil }
                // The last two of both alphabets differ, and no text has both.
                if meaning >= 62, character != UInt8(ascii: " ") {
                    alphabets |= character == UInt8(ascii: "+") || character == UInt8(ascii: "/") ? 1 : 2
                }
                if character == UInt8(ascii: " "), !spaceIsPlus { return nil }
                group = group << 6 | UInt32(meaning)
                characters += 1
                if characters % 4 == 0 {
                    bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                    bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                    bytes.append(UInt8(truncatingIfNeeded: group))
                }
            } else if character == UInt8(ascii: "=") {
                padding += 1
            } else if character != UInt8(ascii: "\r"), character != UInt8(ascii: "\n") {
                return nil
            }
        }
        guard alphabets != 3, padding == 0 || (padding <= 2 && (characters + padding) % 4 == 0) else { return nil }
        switch characters % 4 {
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

    /// What each byte stands for; 64 for those that are in no alphabet. A space stands where `+` would.
    private static let meanings: [UInt8] = {
        var meanings = [UInt8](repeating: 64, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() { meanings[Int(character)] = UInt8(value) }
        meanings[Int(UInt8(ascii: "-"))] = 62
        meanings[Int(UInt8(ascii: " "))] = 62
        meanings[Int(UInt8(ascii: "_"))] = 63
        return meanings
    }()
}
