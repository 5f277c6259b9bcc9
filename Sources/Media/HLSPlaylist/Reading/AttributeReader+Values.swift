import ByteCoding
import TextCoding

/// The types of section 4.2. Each function returns nil when the attribute is absent or malformed. A malformed attribute
/// and an absent required attribute are reported.
extension AttributeReader {
    /// Reads a quoted string and substitutes its variables. An empty string is malformed unless the definition allows
    /// it.
    mutating func quotedString(_ name: StaticString, required: Bool = false, allowsEmpty: Bool = false) -> String? {
        guard let item = item(name) else { return missing(name, required) }
        if !item.isQuoted { checkQuoted(name, item) }
        guard allowsEmpty || !item.value.isEmpty else {
            return malformed(name, item, "a non-empty string", required: required)
        }
        let text = text(item, name.description)
        if text == nil, required { isUsable = false }
        return text
    }

    /// Reads unquoted text: an enumerated string whose values the caller checks.
    mutating func enumerated(_ name: StaticString, required: Bool = false) -> String? {
        guard let item = item(name) else { return missing(name, required) }
        checkUnquoted(name, item)
        let text = context.source.text(item.isQuoted ? context.source.withoutBlanks(item.value) : item.value)
        guard !text.isEmpty, !text.utf8.contains(where: { $0 <= 0x20 }) else {
            return malformed(name, item, "an unquoted enumerated string", required: required)
        }
        return text
    }

    /// Reads an enumerated string of a set. A value that the draft does not define is reported and preserved; if only its
    /// case is wrong, the defined value is used. If the attribute is required, the tag has no meaning with another value:
    /// clients ignore the tag (section 6.3.1).
    mutating func enumerated<Value: OpenString>(
        _ name: StaticString,
        as type: Value.Type,
        required: Bool = false
    ) -> Value? {
        guard let text = enumerated(name, required: required) else { return nil }
        let value = Value(rawValue: text)
        guard !Value.defined.contains(value) else { return value }
        let undefined = "\(name) is \(ReadingContext.quoted(text)), which is not defined"
        if let meant = Value.defined.first(where: { $0.rawValue.lowercased() == text.lowercased() }) {
            reportUndefined(name, undefined + ": write \(meant.rawValue)")
            return meant
        }
        reportUndefined(name, undefined + (required ? ": clients ignore the tag" : ""))
        if required { isUsable = false }
        return value
    }

    /// Reports a value of an enumerated string that the draft does not define.
    private mutating func reportUndefined(_ name: StaticString, _ message: String) {
        let offset = item(name)?.value.lowerBound ?? context.lineStart
        problem(.unknownEnumeratedValue, at: offset, message)
    }

    /// Reads `YES` or `NO`. Any other value counts as absent, as in players, which compare the value with `YES`.
    mutating func flag(_ name: StaticString) -> Bool? {
        guard let text = enumerated(name) else { return nil }
        switch text {
        case "YES": return true
        case "NO": return false
        default:
            reportUndefined(name, "\(name) is neither YES nor NO: the attribute is ignored")
            return nil
        }
    }

    /// Reads an attribute whose only defined value is `YES`; returns false when it is absent. Most definitions describe
    /// the meaning "if the value is YES", so `NO` is valid too unless `allowsNo` is false.
    mutating func yes(_ name: StaticString, allowsNo: Bool = true) -> Bool {
        guard let value = flag(name) else { return false }
        if !value, !allowsNo { reportUndefined(name, "\(name) is not YES: the attribute is ignored") }
        return value
    }

    /// Reads an integer from 0 to 2^64-1. A number with a fraction is reported and truncated.
    mutating func integer(_ name: StaticString, required: Bool = false) -> UInt64? {
        guard let item = item(name) else { return missing(name, required) }
        if !item.isQuoted, let value = Decimal.integer(source, item.value) { return value }
        let range = context.source.withoutBlanks(item.value)
        if let value = Decimal.integer(source, range) {
            checkUnquoted(name, item)
            return value
        }
        guard let number = Decimal.number(source, range), number < 0x1p64 else {
            return malformed(name, item, "a decimal integer below 2^64", required: required)
        }
        problem(
            .malformedAttributeValue,
            at: range.lowerBound,
            "\(name) is not a decimal integer below 2^64: the fraction is ignored"
        )
        return UInt64(number)
    }

    /// Reads a decimal number of at least 0.
    mutating func decimal(_ name: StaticString, required: Bool = false) -> Double? {
        number(name, "a decimal number without a sign", required: required) { Decimal.number($0, $1) }
    }

    /// Reads a decimal number with or without a sign.
    mutating func signedDecimal(_ name: StaticString, required: Bool = false) -> Double? {
        number(name, "a decimal number", required: required) { Decimal.signedNumber($0, $1) }
    }

    @inline(__always)
    private mutating func number(
        _ name: StaticString,
        _ expected: String,
        required: Bool,
        parse: ([UInt8], Range<Int>) -> Double?
    ) -> Double? {
        guard let item = item(name) else { return missing(name, required) }
        guard
            let value = parse(
                source,
                item.isQuoted ? context.source.withoutBlanks(item.value) : item.value
            )
        else {
            return malformed(name, item, expected, required: required)
        }
        checkUnquoted(name, item)
        return value
    }

    /// Reads a hexadecimal sequence, and returns its digits without the prefix, after variable substitution. A sequence
    /// without the prefix is reported and used.
    mutating func hexadecimal(_ name: StaticString) -> [UInt8]? {
        guard let item = item(name) else { return nil }
        guard var digits = text(item, name.description).map({ Array($0.utf8) }) else { return nil }
        if item.isQuoted { digits.removeAll { $0 == 0x20 } }
        let hasPrefix = digits.count > 2 && digits[0] == 0x30 && digits[1] | 0x20 == 0x78
        if hasPrefix { digits.removeFirst(2) }
        guard !digits.isEmpty, digits.allSatisfy({ Hexadecimal.value(of: $0) != nil }) else {
            return malformed(name, item, "a hexadecimal sequence that starts with 0x")
        }
        if !hasPrefix {
            problem(
                .malformedAttributeValue,
                at: item.value.lowerBound,
                "\(name) is not a hexadecimal sequence that starts with 0x: add 0x before the digits"
            )
        }
        checkUnquoted(name, item)
        return digits
    }

    /// Reads a hexadecimal sequence, and returns its bytes. A sequence with an odd number of digits is valid too, and
    /// is appended to `others`.
    mutating func octets(_ name: StaticString, others: inout [Attribute]) -> [UInt8]? {
        guard let digits = hexadecimal(name) else { return nil }
        guard let bytes = Hexadecimal.decode(digits) else {
            let value = "0x" + String(decoding: digits, as: UTF8.self)
            others.append(Attribute(name: name.description, value: value, isQuoted: false))
            return nil
        }
        return bytes
    }

    /// Reads the comma-separated items of a quoted string, without white space around them and without empty ones;
    /// returns no items when the attribute is absent.
    mutating func list(_ name: StaticString) -> [String] {
        guard let item = item(name) else { return [] }
        guard item.isQuoted, !item.value.isEmpty, !VariableTable.hasReference(source.span.bytes, item.value) else {
            return quotedString(name).map { Self.items(of: $0) } ?? []
        }
        return Self.items(source, item.value)
    }

    /// Returns the comma-separated items of a text, without white space around them and without empty ones.
    static func items(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        return items(bytes, 0..<bytes.count)
    }

    private static func items(_ bytes: [UInt8], _ range: Range<Int>) -> [String] {
        var result: [String] = []
        var start = range.lowerBound
        while start < range.upperBound {
            var comma = start
            while comma < range.upperBound, bytes[comma] != 0x2C { comma += 1 }
            var end = comma
            while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
            while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
            if start < end { result.append(String(decoding: bytes[start..<end], as: UTF8.self)) }
            start = comma + 1
        }
        return result
    }

    /// Reads the group of closed captions, or the unquoted keyword NONE.
    mutating func closedCaptions(_ name: StaticString) -> StreamInfTag.ClosedCaptions? {
        guard let item = item(name) else { return nil }
        if !item.isQuoted, context.source.text(item.value) == "NONE" { return StreamInfTag.ClosedCaptions.none }
        return quotedString(name).map { .group($0) }
    }

    /// Reads an initialization vector.
    mutating func initializationVector(_ name: StaticString) -> InitializationVector? {
        guard let digits = hexadecimal(name) else { return nil }
        guard let vector = InitializationVector(hexadecimal: digits) else {
            problem(
                .malformedAttributeValue,
                at: context.lineStart,
                "\(name) has more than 128 bits: the attribute is ignored"
            )
            return nil
        }
        return vector
    }

    /// Reads a size in pixels.
    mutating func resolution(_ name: StaticString) -> Resolution? {
        guard let item = item(name) else { return nil }
        guard
            let value = Resolution(
                source,
                item.isQuoted ? context.source.withoutBlanks(item.value) : item.value
            )
        else {
            return malformed(name, item, "a resolution such as 1920x1080")
        }
        checkUnquoted(name, item)
        return value
    }

    /// Reads a byte range in a quoted string.
    mutating func byteRange(_ name: StaticString) -> ByteRange? {
        guard let item = item(name) else { return nil }
        guard let bytes = text(item, name.description).map({ Array($0.utf8) }) else { return nil }
        let expected = "a byte range such as \"1000@0\""
        if let value = ByteRange(bytes, 0..<bytes.count) {
            checkQuoted(name, item)
            return value
        }
        let visible = bytes.filter { $0 != 0x20 && $0 != 0x09 }
        guard let value = ByteRange(visible, 0..<visible.count) else { return malformed(name, item, expected) }
        problem(.malformedAttributeValue, at: item.value.lowerBound, "\(name) is not \(expected): remove the spaces")
        return value
    }

    /// Reads a date in a quoted string.
    mutating func date(_ name: StaticString) -> PlaylistDate? {
        guard let item = item(name) else { return nil }
        guard let text = text(item, name.description) else { return nil }
        let expected = "an ISO 8601 date and time"
        if let value = PlaylistDate(text) {
            checkQuoted(name, item)
            return value
        }
        guard let value = PlaylistDate(text.withoutBlanks) else { return malformed(name, item, expected) }
        problem(.malformedAttributeValue, at: item.value.lowerBound, "\(name) is not \(expected): remove the spaces")
        return value
    }
}
