import ByteCoding

extension JSONValue {
    /// Parses a whole text in UTF-8, exactly according to the grammar of RFC 8259. A scalar has depth 0, an empty array
    /// depth 1.
    ///
    /// - Throws: ``JSONError`` with the offset of the error. Duplicate names, invalid UTF-8, unpaired surrogates, a
    ///   byte order mark, numbers out of the range of `Double`, deeper nesting and larger texts (in bytes) are errors
    ///   too.
    package init(parsing text: [UInt8], maximumDepth: Int = 8, maximumSize: Int = 16 << 20) throws(JSONError) {
        guard text.count <= maximumSize else {
            throw JSONError(reason: "the text has more than \(maximumSize) bytes", place: .path(""))
        }
        self = try JSONParser.parse(text, maximumDepth: maximumDepth)
    }
}

/// A parser that reads the text once, in linear time. Foundation's decoder does not take linear time if a value can
/// have any type: each attempt to decode a wrong type throws an error with the whole coding path, so that 64 KiB of
/// brackets, which any client can send, occupied a core for minutes.
private struct JSONParser {
    private let text: [UInt8]
    private var position = 0
    private let maximumDepth: Int

    /// Parses a whole text. A scalar has depth 0, an empty array depth 1.
    static func parse(_ text: [UInt8], maximumDepth: Int) throws(JSONError) -> JSONValue {
        var parser = JSONParser(text: text, maximumDepth: maximumDepth)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == text.count else { throw parser.error("unexpected text after the value") }
        return value
    }

    private init(text: [UInt8], maximumDepth: Int) {
        self.text = text
        self.maximumDepth = maximumDepth
    }

    private func error(_ reason: String) -> JSONError { JSONError(reason: reason, place: .byte(position)) }

    private var next: UInt8? { position < text.count ? text[position] : nil }

    private mutating func skipSpace() {
        while let next, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"):
            return try object(depth: depth + 1)
        case UInt8(ascii: "["):
            return try array(depth: depth + 1)
        case UInt8(ascii: "\""):
            return .string(try string())
        case UInt8(ascii: "t"):
            return try literal("true", .bool(true))
        case UInt8(ascii: "f"):
            return try literal("false", .bool(false))
        case UInt8(ascii: "n"):
            return try literal("null", .null)
        case let character?
        where character == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character):
            return try number()
        default:
            throw error("expected a value")
        }
    }

    private mutating func literal(_ keyword: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let matches = keyword.withUTF8Buffer { text[position...].starts(with: $0) }
        guard matches else { throw error("expected a value") }
        position += keyword.utf8CodeUnitCount
        return value
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        try enter(depth)
        var object = JSONObject()
        var names = JSONNames()
        skipSpace()
        if skip("}") { return .object(object) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("expected a name in quotation marks") }
            let start = position
            let name = try string()
            guard names.insert(name, of: object) else {
                throw JSONError(reason: "a name appears twice", place: .byte(start))
            }
            skipSpace()
            guard skip(":") else { throw error("expected a colon") }
            object.append(.init(key: name, value: try value(depth: depth)))
            skipSpace()
            if skip("}") { return .object(object) }
            guard skip(",") else { throw error("expected a comma") }
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        try enter(depth)
        var values: [JSONValue] = []
        skipSpace()
        if skip("]") { return .array([]) }
        while true {
            values.append(try value(depth: depth))
            skipSpace()
            if skip("]") { return .array(values) }
            guard skip(",") else { throw error("expected a comma") }
        }
    }

    private mutating func enter(_ depth: Int) throws(JSONError) {
        guard depth <= maximumDepth else { throw error("the nesting is deeper than \(maximumDepth)") }
        position += 1
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        var isWhole = true
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") {
            isWhole = false
            try digits()
        }
        if skip("e") || skip("E") {
            isWhole = false
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        let digits = String(decoding: text[start..<position], as: UTF8.self)
        if isWhole, let integer = Int(digits) { return .integer(integer) }
        guard let number = Double(digits), number.isFinite else { throw error("the number is too large") }
        return .number(number)
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { position += 1 }
        guard position > start else { throw error("expected a digit") }
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        var bytes: [UInt8] = []
        while true {
            let run = plainRun()
            guard let byte = next else { throw error("the string has no closing quotation mark") }
            switch byte {
            case UInt8(ascii: "\""):
                // Most strings consist of a single run without escapes, and SPCs are long.
                let string =
                    bytes.isEmpty
                    ? String(validating: text[run], as: UTF8.self)
                    : String(validating: bytes + text[run], as: UTF8.self)
                guard let string else { throw error("the string is not valid UTF-8") }
                position += 1
                return string
            case UInt8(ascii: "\\"):
                position += 1
                bytes += text[run]
                bytes += UTF8.encode(try escape())!
            default:
                throw error("the string contains an unescaped control character")
            }
        }
    }

    /// Skips the bytes of a string up to the next quotation mark, backslash or control character, or up to the end.
    private mutating func plainRun() -> Range<Int> {
        let start = position
        position = endOfPlainRun
        return start..<position
    }

    private var endOfPlainRun: Int {
        let bytes = text.span
        var end = position
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            end += 1
        }
        return end
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard let character = next else { throw error("the string has no closing quotation mark") }
        position += 1
        switch character {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(character)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw error("the string contains an unknown escape")
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), skip("\\"), skip("u") else {
            throw error("the string contains an unpaired surrogate")
        }
        let second = try codeUnit()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error("the string contains an unpaired surrogate") }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap(Hexadecimal.value) else {
                throw error("expected four hexadecimal digits after \\u")
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }
}
