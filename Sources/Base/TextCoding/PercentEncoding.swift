import ByteCoding

/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Encodes every byte of the text but RFC 3986's unreserved characters.
    package static func encode(_ text: some StringProtocol) -> String { encode(text.utf8) }

    /// Encodes every byte but RFC 3986's unreserved characters.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            if isUnreserved(byte) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(Hexadecimal.uppercaseDigit(byte >> 4))
                text.append(Hexadecimal.uppercaseDigit(byte))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text of an encoded one; nil for a `%` without two digits behind it, and for what is not UTF-8 then.
    package static func decode(_ text: some StringProtocol) -> String? {
        decode(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The bytes of an encoded text; nil for a `%` without two digits behind it.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { decode(text, plusIsSpace: false) }

    /// The bytes of an encoded text, in which a `%` without two digits behind it means itself, as browsers read it
    /// (WHATWG URL, section 1.3).
    package static func decodeLeniently(_ text: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let decoded = escape(rest) {
                bytes.append(decoded)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace:
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let decoded = escape(rest) else { return nil }
                bytes.append(decoded)
                rest = rest.dropFirst(2)
            default:
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// The byte of the two digits at the front.
    private static func escape(_ text: some Collection<UInt8>) -> UInt8? {
        var digits = text.prefix(2).makeIterator()
        guard let high = digits.next().flatMap(Hexadecimal.value), let low = digits.next().flatMap(Hexadecimal.value)
        else { return nil }
        return high << 4 | low
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}

/// The fields of a form (`application/x-www-form-urlencoded`, WHATWG URL, section 5), or of a query.
package enum FormEncoding {
    /// A field: names are text, values are bytes, since an asset ID need not be text.
    package typealias Field = (name: String, value: [UInt8])

    /// The fields in their order; `+` is a space, empty fields are left out. Nil for a broken escape, and for a name that
    /// is not UTF-8.
    package static func decode(_ text: some Collection<UInt8>) -> [Field]? {
        var fields: [Field] = []
        for part in text.split(separator: UInt8(ascii: "&")) {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let value = end == part.endIndex ? part[end...] : part[part.index(after: end)...]
            guard let nameBytes = PercentEncoding.decode(part[..<end], plusIsSpace: true),
                let value = PercentEncoding.decode(value, plusIsSpace: true),
                let name = String(validating: nameBytes, as: UTF8.self)
            else { return nil }
            fields.append((name, value))
        }
        return fields
    }

    /// The fields in their order. A space becomes `%20`, which readers of forms and of queries both understand.
    package static func encode(_ fields: some Sequence<(name: String, value: String)>) -> String {
        fields.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }
}
