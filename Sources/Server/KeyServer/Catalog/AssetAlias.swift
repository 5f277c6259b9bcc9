import TextCoding

/// An alternative name for registered content: what players put in an SPC, or send beside it, instead of the asset ID.
///
///     name                                       content
///     skd://…, the scheme in any case            the one whose asset ID follows the scheme: the key URI
///     …?…                                        the one whose asset ID precedes the query
///     …%…                                        the one whose asset ID is percent-encoded
///     blanks or zero bytes at the end            the one whose asset ID precedes them
///     UTF-16LE                                   the one with this text in UTF-8: the legacy API of Safari
///     16 bytes, 32 hexadecimal digits, a UUID    the one with this key ID
///
/// The forms can be combined. A registered asset ID is never an alias, whatever its format. Authorization, limits and
/// records always use the registered asset. An alias only finds it and has no rights of its own.
enum AssetAlias: Hashable {
    /// The asset ID in a name.
    case assetID([UInt8])
    /// A key ID, 16 bytes.
    case keyID([UInt8])

    /// Returns the possible meanings of a name under which no content is registered, the most literal first; the first
    /// that exists applies. Most names have none.
    static func readings(of name: [UInt8]) -> [AssetAlias] {
        var forms: [[UInt8]] = []
        for text in [name, utf8(ofUTF16: name)].compactMap({ $0 }) {
            let trimmed = withoutBlanks(text)
            let path = withoutScheme(trimmed)
            let plain = Array(path.prefix { $0 != UInt8(ascii: "?") })
            for form in [text, trimmed, path, decoded(path), plain, decoded(plain)] where !form.isEmpty {
                if !forms.contains(form) { forms.append(form) }
            }
        }
        return forms.filter { $0 != name }.map { .assetID($0) } + forms.compactMap(keyID).map { .keyID($0) }
    }

    private static let scheme = Array("skd://".utf8)

    private static func withoutScheme(_ name: [UInt8]) -> [UInt8] {
        // Only letters differ in case from another ASCII character by this bit.
        let start = name.prefix(scheme.count).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return start == scheme ? Array(name.dropFirst(scheme.count)) : name
    }

    private static func withoutBlanks(_ name: [UInt8]) -> [UInt8] {
        guard let last = name.lastIndex(where: { $0 > 0x20 }) else { return [] }
        return Array(name[...last])
    }

    private static func decoded(_ name: [UInt8]) -> [UInt8] {
        name.contains(UInt8(ascii: "%")) ? PercentEncoding.decode(name) ?? name : name
    }

    /// Returns the text in UTF-8 if the bytes are UTF-16LE with an ASCII character at the start.
    private static func utf8(ofUTF16 name: [UInt8]) -> [UInt8]? {
        guard name.count >= 4, name.count.isMultiple(of: 2), name[1] == 0, name[0] > 0x20, name[0] < 0x7F else {
            return nil
        }
        let units = stride(from: 0, to: name.count, by: 2).map { UInt16(name[$0]) | UInt16(name[$0 + 1]) << 8 }
        return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
    }

    /// Returns the key ID that a name is: the bytes, their hexadecimal digits, or the digits with the hyphens of a UUID
    /// (RFC 9562, section 4).
    private static func keyID(_ name: [UInt8]) -> [UInt8]? {
        if name.count == 16 { return name }
        var digits = name
        if name.count == 36 {
            guard [8, 13, 18, 23].allSatisfy({ name[$0] == UInt8(ascii: "-") }) else { return nil }
            digits.removeAll { $0 == UInt8(ascii: "-") }
        }
        return digits.count == 32 ? Hexadecimal.decode(digits) : nil
    }
}
