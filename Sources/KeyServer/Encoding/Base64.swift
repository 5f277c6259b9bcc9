/// Base64 (RFC 4648) as clients really send it.
///
/// Reading takes the standard and the URL-safe alphabet, though not both in one text; padding or none, though not a
/// wrong one; and line breaks (CR and LF) anywhere, since encoders wrap lines. Everything else is refused: other white
/// space, characters behind the padding, a last character whose unused bits are not zero.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        values[Int(UInt8(ascii: "-"))] = 62
        values[Int(UInt8(ascii: "_"))] = 63
        return values
    }()

    /// The bytes in standard base64 with padding.
    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                text.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a base64 text; nil when it is none.
    ///
    /// - Parameter spaceIsPlus: whether a space stands for `+`, as it does once a form was decoded whose client forgot
    ///   to escape it.
    static func decode(_ text: some Collection<UInt8>, spaceIsPlus: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var characters = 0
        var padding = 0
        var isStandard = false
        var isURLSafe = false
        for character in text {
            switch character {
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                continue
            case UInt8(ascii: "="):
                padding += 1
                continue
            case UInt8(ascii: "+"), UInt8(ascii: "/"):
                isStandard = true
            case UInt8(ascii: "-"), UInt8(ascii: "_"):
                isURLSafe = true
            default:
                break
            }
            let isPlus = spaceIsPlus && character == UInt8(ascii: " ")
            guard padding == 0, let value = isPlus ? 62 : values[Int(character)] else { return nil }
            bits = bits << 6 | UInt32(value)
            characters += 1
            if characters % 4 == 0 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
                bytes.append(UInt8(truncatingIfNeeded: bits))
                bits = 0
            }
        }
        guard !(isStandard && isURLSafe), padding == 0 || (padding <= 2 && (characters + padding) % 4 == 0) else {
            return nil
        }
        switch characters % 4 {
        case 0:
            return bytes
        case 2 where bits & 0xF == 0:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
            return bytes
        case 3 where bits & 0x3 == 0:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
            return bytes
        default:
            return nil
        }
    }
}
