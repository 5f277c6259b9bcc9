import ByteCoding

/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Encodes every byte of the text except RFC 3986's unreserved characters.
    package static func encode(_ text: some StringProtocol) -> String { encode(text.utf8) }

    /// Encodes every byte except RFC 3986's unreserved characters.
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

    /// Decodes an encoded text. Returns nil if a `%` is not followed by two hexadecimal digits, or if the result is not
    /// UTF-8.
    package static func decode(_ text: some StringProtocol) -> String? {
        decode(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Decodes an encoded text to bytes. Returns nil if a `%` is not followed by two hexadecimal digits.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        decode(Array(text)[...], plusIsSpace: false)
    }

    /// Decodes an encoded text to bytes. As in browsers (WHATWG URL, section 1.3), a `%` that is not followed by two
    /// hexadecimal digits is kept unchanged.
    package static func decodeLeniently(_ text: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = Array(text)[...]
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

    // A concrete collection, because generic code calls a function of the collection for every byte.
    static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
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

    /// Returns the byte of the first two digits, or nil if they are not digits.
    private static func escape(_ text: ArraySlice<UInt8>) -> UInt8? {
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

/// Form encoding (`application/x-www-form-urlencoded`, WHATWG URL, section 5), which queries use too.
package enum FormEncoding {
    /// A field. Names are text; values are bytes, because an asset ID does not have to be text.
    package typealias Field = (name: String, value: [UInt8])

    /// Decodes the fields in order. A `+` is decoded to a space, and empty fields are omitted. Returns nil if an escape
    /// is invalid or a name is not UTF-8.
    package static func decode(_ text: some Collection<UInt8>) -> [Field]? {
        var fields: [Field] = []
        for part in Array(text).split(separator: UInt8(ascii: "&")) {
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

    /// Encodes the fields in order. A space becomes `%20`, which form and query decoders both accept.
    package static func encode(_ fields: some Sequence<(name: String, value: String)>) -> String {
        fields.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }
}
