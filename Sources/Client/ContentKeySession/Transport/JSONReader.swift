import ByteCoding

extension JSONText {
    /// Reads a document; nil for anything that is not JSON (RFC 8259), or is nested deeper than `depth`.
    package init?(parsing bytes: [UInt8], depth: Int = 16) {
        var reader = JSONReader(bytes: bytes)
        guard let value = reader.value(depth: depth), reader.isAtEnd else { return nil }
        self = value
    }
}

/// Goes through a document once. Nil means that it is not JSON.
private struct JSONReader {
    let bytes: [UInt8]
    var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return place == bytes.count
        }
    }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { place += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func take(word: String) -> Bool {
        let word = Array(word.utf8)
        guard bytes[place...].starts(with: word) else { return false }
        place += word.count
        return true
    }

    mutating func value(depth: Int) -> JSONText? {
        skipSpace()
        guard depth > 0, let first = next else { return nil }
        switch first {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map(JSONText.string)
        case UInt8(ascii: "t"): return take(word: "true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take(word: "false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
        default: return number()
        }
    }

    private mutating func array(depth: Int) -> JSONText? {
        place += 1
        var items: [JSONText] = []
        if take(UInt8(ascii: "]")) { return .array(items) }
        repeat {
            guard let item = value(depth: depth - 1) else { return nil }
            items.append(item)
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]")) ? .array(items) : nil
    }

    private mutating func object(depth: Int) -> JSONText? {
        place += 1
        var fields: [JSONText.Field] = []
        if take(UInt8(ascii: "}")) { return .object(fields) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\""), let name = string(), take(UInt8(ascii: ":")),
                let value = value(depth: depth - 1)
            else { return nil }
            fields.append(.init(name: name, value: value))
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}")) ? .object(fields) : nil
    }

    private mutating func number() -> JSONText? {
        let start = place
        while let byte = next,
            byte == 0x2b || byte == 0x2d || byte == 0x2e || byte | 0x20 == 0x65
                || (0x30...0x39).contains(byte)
        {
            place += 1
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        guard let first = text.utf8.first, first == 0x2d || (0x30...0x39).contains(first), Double(text) != nil else {
            return nil
        }
        return Int(text).map(JSONText.integer) ?? .null
    }

    private mutating func string() -> String? {
        place += 1
        var text: [UInt8] = []
        while let byte = next, byte >= 0x20 {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text += Array(String(Character(scalar)).utf8)
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = fourDigits() else { return nil }
            guard (0xd800..<0xdc00).contains(unit) else { return Unicode.Scalar(unit) }
            guard take(word: "\\u"), let low = fourDigits(), (0xdc00..<0xe000).contains(low) else { return nil }
            return Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
        default: return nil
        }
    }

    private mutating func fourDigits() -> UInt32? {
        guard place + 4 <= bytes.count else { return nil }
        var unit: UInt32 = 0
        for byte in bytes[place..<place + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        place += 4
        return unit
    }
}
