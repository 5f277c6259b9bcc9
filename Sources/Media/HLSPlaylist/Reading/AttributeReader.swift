import ByteCoding
import TextCoding

/// Parses the attributes of one tag.
///
///     attribute-list  = attribute *( "," attribute )
///     attribute       = name "=" value
///     name            = 1*( "A"-"Z" / DIGIT / "-" )
///     value           = DQUOTE *any-but-DQUOTE DQUOTE / 1*any-but-comma-and-DQUOTE
///
/// Section 4.2. A tag reads its attributes by name and type. Attributes that it does not read are unknown to it, and
/// ``remaining()`` returns them. A value that does not have the attribute's type is reported and treated as absent;
/// ``isUsable`` is then false, and the tag must be rejected.
struct AttributeReader {
    struct Item {
        var name: Range<Int>
        /// The range of the value without the quotation marks.
        var value: Range<Int>
        var isQuoted: Bool
        var isUsed = false
    }

    let context: ReadingContext
    let tag: TagName
    private(set) var isUsable = true

    /// Splits the value of a tag into attributes.
    init(_ context: ReadingContext, _ tag: TagName, _ range: Range<Int>) {
        self.context = context
        self.tag = tag
        context.attributes.removeAll(keepingCapacity: true)
        let source = context.source.bytes
        split(source.span.bytes, range)
    }

    private mutating func problem(_ rule: RuleID, at offset: Int, _ message: String) {
        context.report(rule, at: offset, "\(tag.rawValue): \(message)")
        isUsable = false
    }

    private mutating func split(_ bytes: RawSpan, _ range: Range<Int>) {
        func byte(_ offset: Int) -> UInt8 { bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
        var position = range.lowerBound
        let end = range.upperBound
        if position == end { return problem(.malformedAttributeList, at: position, "the tag has no attributes") }
        while true {
            let start = position
            while position < end, Self.isNameByte(byte(position)) { position += 1 }
            guard position > start, position < end, byte(position) == UInt8(ascii: "=") else {
                return problem(.malformedAttributeList, at: min(position, end), "expected NAME=value")
            }
            let name = start..<position
            position += 1
            var item = Item(name: name, value: position..<position, isQuoted: false)
            if position < end, byte(position) == UInt8(ascii: "\"") {
                position += 1
                let first = position
                while position < end, byte(position) != UInt8(ascii: "\"") { position += 1 }
                guard position < end else {
                    return problem(.malformedAttributeList, at: first - 1, "the closing quotation mark is missing")
                }
                item.value = first..<position
                item.isQuoted = true
                position += 1
            } else {
                let first = position
                while position < end, byte(position) != UInt8(ascii: ","), byte(position) != UInt8(ascii: "\"") {
                    position += 1
                }
                item.value = first..<position
                guard !item.value.isEmpty else {
                    return problem(.malformedAttributeList, at: first, "\(context.source.text(name)) has no value")
                }
            }
            guard context.attributes.count < context.options.limits.attributes else {
                context.report(
                    .limitExceeded,
                    at: start,
                    "\(tag.rawValue): the tag has more than \(context.options.limits.attributes) attributes"
                )
                return isUsable = false
            }
            if find(bytes, name) != nil {
                problem(.duplicateAttribute, at: start, "\(context.source.text(name)) appears more than once")
            } else {
                context.attributes.append(item)
            }
            if position == end { return }
            guard byte(position) == UInt8(ascii: ",") else {
                return problem(
                    .malformedAttributeList,
                    at: position,
                    "expected a comma after \(context.source.text(name))"
                )
            }
            position += 1
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x30...0x39, 0x2D: true
        default: false
        }
    }

    private func find(_ bytes: RawSpan, _ name: Range<Int>) -> Int? {
        context.attributes.firstIndex { item in
            guard item.name.count == name.count else { return false }
            for (left, right) in zip(item.name, name)
            where bytes.unsafeLoad(fromByteOffset: left, as: UInt8.self)
                != bytes.unsafeLoad(fromByteOffset: right, as: UInt8.self)
            {
                return false
            }
            return true
        }
    }

    /// Finds an attribute and marks it as read.
    private func item(_ name: StaticString) -> Item? {
        let source = context.source.bytes
        let bytes = source.span.bytes
        let count = name.utf8CodeUnitCount
        for index in context.attributes.indices where context.attributes[index].name.count == count {
            let start = context.attributes[index].name.lowerBound
            let matches = name.withUTF8Buffer { buffer in
                for offset in 0..<count
                where buffer[offset] != bytes.unsafeLoad(fromByteOffset: start + offset, as: UInt8.self) {
                    return false
                }
                return true
            }
            if matches {
                context.attributes[index].isUsed = true
                return context.attributes[index]
            }
        }
        return nil
    }

    private mutating func missing<Value>(_ name: StaticString, _ required: Bool) -> Value? {
        if required { problem(.missingAttribute, at: context.lineStart, "\(name) is missing") }
        return nil
    }

    private mutating func malformed<Value>(_ name: StaticString, _ item: Item, _ expected: String) -> Value? {
        problem(.malformedAttributeValue, at: item.value.lowerBound, "\(name) is not \(expected)")
        return nil
    }

    /// Returns the text of a value after variable substitution. If the substitution fails, returns nil and makes the
    /// tag unusable.
    private mutating func text(_ item: Item, _ name: @autoclosure () -> String) -> String? {
        let text = context.resolvedText(item.value, reading: "\(tag.rawValue), \(name())")
        if text == nil { isUsable = false }
        return text
    }
}

/// The types of section 4.2. Each function returns nil when the attribute is absent or malformed. A malformed attribute
/// and an absent required attribute are reported.
extension AttributeReader {
    /// Reads a quoted string and substitutes its variables. An empty string is malformed unless the definition allows
    /// it.
    mutating func quotedString(_ name: StaticString, required: Bool = false, allowsEmpty: Bool = false) -> String? {
        guard let item = item(name) else { return missing(name, required) }
        guard item.isQuoted else { return malformed(name, item, "a quoted string") }
        guard allowsEmpty || !item.value.isEmpty else { return malformed(name, item, "a non-empty string") }
        return text(item, name.description)
    }

    /// Reads unquoted text: an enumerated string whose values the caller checks.
    mutating func enumerated(_ name: StaticString, required: Bool = false) -> String? {
        guard let item = item(name) else { return missing(name, required) }
        let text = context.source.text(item.value)
        guard !item.isQuoted, !text.utf8.contains(0x20) else {
            return malformed(name, item, "an unquoted enumerated string")
        }
        return text
    }

    /// Reads an enumerated string of a set. If the draft does not define the value, clients ignore the tag (section
    /// 6.3.1), unless the caller passes `keepsUnknown`.
    mutating func enumerated<Value: OpenString>(
        _ name: StaticString,
        as type: Value.Type,
        required: Bool = false,
        keepsUnknown: Bool = false
    ) -> Value? {
        guard let text = enumerated(name, required: required) else { return nil }
        let value = Value(rawValue: text)
        if !Value.defined.contains(value) {
            if keepsUnknown {
                context.report(
                    .unknownEnumeratedValue,
                    at: context.lineStart,
                    "\(tag.rawValue): \(name) is \(ReadingContext.quoted(text)), which is not defined"
                )
            } else {
                ignore(
                    .unknownEnumeratedValue,
                    "\(name) is \(ReadingContext.quoted(text)), which is not defined: clients ignore the tag"
                )
            }
        }
        return value
    }

    /// Reports a problem that makes clients ignore the tag.
    private mutating func ignore(_ rule: RuleID, _ message: String) {
        context.report(rule, at: context.lineStart, "\(tag.rawValue): \(message)")
        isUsable = false
    }

    /// Reads `YES` or `NO`.
    mutating func flag(_ name: StaticString) -> Bool? {
        guard let text = enumerated(name) else { return nil }
        switch text {
        case "YES": return true
        case "NO": return false
        default:
            ignore(.unknownEnumeratedValue, "\(name) is neither YES nor NO: clients ignore the tag")
            return nil
        }
    }

    /// Reads an attribute whose only defined value is `YES`; returns false when it is absent. Most definitions describe
    /// the meaning "if the value is YES", so `NO` is valid too unless `allowsNo` is false.
    mutating func yes(_ name: StaticString, allowsNo: Bool = true) -> Bool {
        guard let value = flag(name) else { return false }
        if !value, !allowsNo { ignore(.unknownEnumeratedValue, "\(name) is not YES: clients ignore the tag") }
        return value
    }

    /// Reads an integer from 0 to 2^64-1.
    mutating func integer(_ name: StaticString, required: Bool = false) -> UInt64? {
        guard let item = item(name) else { return missing(name, required) }
        guard !item.isQuoted, let value = Decimal.integer(context.source.bytes, item.value) else {
            return malformed(name, item, "a decimal integer below 2^64")
        }
        return value
    }

    /// Reads a decimal number of at least 0.
    mutating func decimal(_ name: StaticString, required: Bool = false) -> Double? {
        guard let item = item(name) else { return missing(name, required) }
        guard !item.isQuoted, let value = Decimal.number(context.source.bytes, item.value) else {
            return malformed(name, item, "a decimal number without a sign")
        }
        return value
    }

    /// Reads a decimal number with or without a sign.
    mutating func signedDecimal(_ name: StaticString, required: Bool = false) -> Double? {
        guard let item = item(name) else { return missing(name, required) }
        guard !item.isQuoted, let value = Decimal.signedNumber(context.source.bytes, item.value) else {
            return malformed(name, item, "a decimal number")
        }
        return value
    }

    /// Reads a hexadecimal sequence, and returns its digits without the prefix, after variable substitution.
    mutating func hexadecimal(_ name: StaticString) -> [UInt8]? {
        guard let item = item(name) else { return nil }
        guard let digits = text(item, name.description).map({ Array($0.utf8) }) else { return nil }
        guard !item.isQuoted, digits.count > 2, digits[0] == 0x30, digits[1] | 0x20 == 0x78,
            digits.dropFirst(2).allSatisfy({ Hexadecimal.value(of: $0) != nil })
        else { return malformed(name, item, "a hexadecimal sequence that starts with 0x") }
        return Array(digits.dropFirst(2))
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

    /// Reads the comma-separated items of a quoted string; returns no items when the attribute is absent.
    mutating func list(_ name: StaticString) -> [String] {
        quotedString(name)?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    }

    /// Reads the group of closed captions, or the unquoted keyword NONE.
    mutating func closedCaptions(_ name: StaticString) -> StreamInfTag.ClosedCaptions? {
        guard let item = item(name) else { return nil }
        if item.isQuoted { return quotedString(name).map { .group($0) } }
        guard context.source.text(item.value) == "NONE" else {
            ignore(.unknownEnumeratedValue, "\(name) is neither a quoted string nor NONE: clients ignore the tag")
            return nil
        }
        return StreamInfTag.ClosedCaptions.none
    }

    /// Reads an initialization vector.
    mutating func initializationVector(_ name: StaticString) -> InitializationVector? {
        guard let digits = hexadecimal(name) else { return nil }
        guard let vector = InitializationVector(hexadecimal: digits) else {
            problem(.malformedAttributeValue, at: context.lineStart, "\(name) has more than 128 bits")
            return nil
        }
        return vector
    }

    /// Reads a size in pixels.
    mutating func resolution(_ name: StaticString) -> Resolution? {
        guard let item = item(name) else { return nil }
        guard !item.isQuoted, let value = Resolution(context.source.bytes, item.value) else {
            return malformed(name, item, "a resolution such as 1920x1080")
        }
        return value
    }

    /// Reads a byte range in a quoted string.
    mutating func byteRange(_ name: StaticString) -> ByteRange? {
        guard let item = item(name) else { return nil }
        guard let bytes = text(item, name.description).map({ Array($0.utf8) }) else { return nil }
        guard item.isQuoted, let value = ByteRange(bytes, 0..<bytes.count) else {
            return malformed(name, item, "a byte range such as \"1000@0\"")
        }
        return value
    }

    /// Reads a date in a quoted string.
    mutating func date(_ name: StaticString) -> PlaylistDate? {
        guard let item = item(name) else { return nil }
        guard let text = text(item, name.description) else { return nil }
        guard item.isQuoted, let value = PlaylistDate(text) else {
            return malformed(name, item, "an ISO 8601 date and time")
        }
        return value
    }

    /// Reports a problem of the whole tag, and makes the tag unusable.
    mutating func reject(_ rule: RuleID, _ message: String) {
        problem(rule, at: context.lineStart, message)
    }

    /// Returns the attributes that were not read, in the order of the playlist.
    mutating func remaining() -> [Attribute] {
        var result: [Attribute] = []
        for index in context.attributes.indices where !context.attributes[index].isUsed {
            let item = context.attributes[index]
            let name = context.source.text(item.name)
            if name.hasPrefix("REQ-") {
                ignore(.unsupportedRequirement, "\(name) is not defined: clients ignore the tag")
            } else if tag != .dateRange || !name.hasPrefix("X-") {
                context.report(.unknownAttribute, at: item.name.lowerBound, "\(tag.rawValue): \(name) is not defined")
            }
            let text = item.isQuoted ? text(item, name) : context.source.text(item.value)
            result.append(Attribute(name: name, value: text ?? "", isQuoted: item.isQuoted))
        }
        return result
    }
}
