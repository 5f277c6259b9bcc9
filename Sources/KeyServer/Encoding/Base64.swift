import FoundationEssentials

/// Base64 (RFC 4648) as clients really send it, brought into the form that Foundation's decoder takes.
///
/// Reading takes the standard and the URL-safe alphabet, though not both in one text; padding or none, though not a
/// wrong one; and line breaks (CR and LF) anywhere, since encoders wrap lines. Everything else is refused.
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

    /// The bytes of a base64 text; nil when it is none.
    ///
    /// - Parameter spaceIsPlus: whether a space stands for `+`, as it does once a form was decoded whose client forgot
    ///   to escape it.
    static func decode(_ text: some Collection<UInt8>, spaceIsPlus: Bool = false) -> [UInt8]? {
        var standard: [UInt8] = []
        standard.reserveCapacity(text.count + 3)
        var isStandard = false
        var isURLSafe = false
        for character in text {
            switch character {
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                continue
            case UInt8(ascii: " ") where spaceIsPlus:
                standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"):
                isStandard = true
                standard.append(character)
            case UInt8(ascii: "-"):
                isURLSafe = true
                standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"):
                isURLSafe = true
                standard.append(UInt8(ascii: "/"))
            default:
                standard.append(character)
            }
        }
        guard !(isStandard && isURLSafe) else { return nil }
        if !standard.contains(UInt8(ascii: "=")) {
            standard += [UInt8](repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        }
        let padding = standard.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2, !standard.dropLast(padding).contains(UInt8(ascii: "=")),
            let data = Data(base64Encoded: Data(standard)), data.count == standard.count / 4 * 3 - padding,
            hasNoUnusedBits(standard.dropLast(padding).last, padding: padding)
        else { return nil }
        return Array(data)
    }

    /// Foundation ignores the bits that the last character has too many; two texts must not stand for the same bytes.
    private static func hasNoUnusedBits(_ last: UInt8?, padding: Int) -> Bool {
        guard let last, padding > 0 else { return true }
        let allowed = padding == 1 ? "AEIMQUYcgkosw048" : "AQgw"
        return allowed.utf8.contains(last)
    }
}
