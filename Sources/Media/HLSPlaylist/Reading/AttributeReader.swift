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
/// ``remaining()`` returns them.
///
/// A violation costs as little as possible. An element that is not an attribute is reported and skipped. A value that
/// does not have the attribute's type is reported; if its meaning is clear, for example because it only has quotation
/// marks that the type does not have, it is used nevertheless, and otherwise the attribute is treated as absent. Only
/// if a required attribute is absent, ``isUsable`` is false, and the tag must be rejected.
struct AttributeReader {
    struct Item {
        var name: Range<Int>
        /// The first eight bytes of the name, by which names are compared.
        var key: UInt64 = 0
        /// The range of the value without the quotation marks.
        var value: Range<Int>
        var isQuoted: Bool
        var isUsed = false
    }

    let context: ReadingContext
    let tag: TagName
    let source: [UInt8]
    /// The attributes, in a buffer that the context keeps for all tags, to avoid allocations.
    private var items: [Item] = []
    var isUsable = true
    /// True if the reader has reported an error.
    private(set) var hasProblem = false
    /// True if an element was skipped, which may be the attribute that seems to be missing.
    private var hasSkippedElement = false

    /// Splits the value of a tag into attributes.
    init(_ context: ReadingContext, _ tag: TagName, _ range: Range<Int>) {
        self.context = context
        self.tag = tag
        source = context.source.bytes
        swap(&items, &context.attributes)
        items.removeAll(keepingCapacity: true)
        let source = source
        split(source.span.bytes, range)
    }

    /// Returns the buffer to the context.
    mutating func finish() { swap(&items, &context.attributes) }

    mutating func problem(_ rule: RuleID, at offset: Int, _ message: String) {
        context.report(rule, at: offset, "\(tag.rawValue): \(message)")
        hasProblem = true
    }

    private mutating func split(_ bytes: RawSpan, _ range: Range<Int>) {
        func byte(_ offset: Int) -> UInt8 { bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
        var position = range.lowerBound
        let end = range.upperBound
        if position == end {
            hasSkippedElement = true
            return problem(.malformedAttributeList, at: position, "the tag has no attributes")
        }
        while true {
            let start = position
            while position < end, Self.isNameByte(byte(position)) { position += 1 }
            var item = Item(name: start..<position, value: position..<position, isQuoted: false)
            item.key = Self.key(bytes, item.name)
            if position > start, position < end, byte(position) == UInt8(ascii: "=") {
                position += 1
                if position < end, byte(position) == UInt8(ascii: "\"") {
                    position += 1
                    let first = position
                    while position < end, byte(position) != UInt8(ascii: "\"") { position += 1 }
                    if position < end {
                        item.value = first..<position
                        item.isQuoted = true
                        position += 1
                    }
                } else {
                    let first = position
                    while position < end, Self.isValueByte(byte(position)) { position += 1 }
                    item.value = first..<position
                }
                let isComplete = item.isQuoted || !item.value.isEmpty
                if isComplete, position == end || byte(position) == UInt8(ascii: ",") {
                    guard append(bytes, item) else { return }
                    if position == end { return }
                    position += 1
                    continue
                }
            }
            let element = LooseAttribute(bytes, from: start, to: end)
            guard append(bytes, element) else { return }
            if element.end == end { return }
            position = element.end + 1
        }
    }

    /// Adds an attribute. Returns false if the tag has too many.
    @inline(__always)
    private mutating func append(_ bytes: RawSpan, _ item: Item) -> Bool {
        guard items.count < context.options.limits.attributes else {
            context.report(
                .limitExceeded,
                at: item.name.lowerBound,
                "\(tag.rawValue): the tag has more than \(context.options.limits.attributes) attributes"
            )
            isUsable = false
            return false
        }
        if has(bytes, item) {
            problem(
                .duplicateAttribute,
                at: item.name.lowerBound,
                "\(context.source.text(item.name)) appears more than once: the first one is used"
            )
        } else {
            items.append(item)
        }
        return true
    }

    /// Reports an element that does not match the grammar, and adds its attribute if it has one.
    @inline(never)
    private mutating func append(_ bytes: RawSpan, _ element: LooseAttribute) -> Bool {
        let name = ReadingContext.quoted(context.source.text(element.name))
        for flaw in element.flaws {
            switch flaw.kind {
            case .space:
                let character = bytes.unsafeLoad(fromByteOffset: flaw.offset, as: UInt8.self) == 0x09 ? "tab" : "space"
                context.report(
                    .whitespace,
                    at: flaw.offset,
                    "\(tag.rawValue): a \(character) is next to a comma or at the start of the attributes: remove it"
                )
            case .empty:
                problem(.malformedAttributeList, at: flaw.offset, "a comma has no attribute before or after it")
            case .name:
                problem(
                    .malformedAttributeList,
                    at: flaw.offset,
                    "\(name) is not an attribute name, which has only A to Z, digits and hyphens: the attribute is "
                        + "ignored"
                )
            case .noEquals: problem(.malformedAttributeList, at: flaw.offset, "expected NAME=value")
            case .spaceAtEquals:
                problem(.malformedAttributeList, at: flaw.offset, "there is white space next to the = of \(name)")
            case .noValue: problem(.malformedAttributeList, at: flaw.offset, "\(name) has no value")
            case .unclosed:
                problem(.malformedAttributeList, at: flaw.offset, "the closing quotation mark of \(name) is missing")
            case .afterQuote:
                problem(.malformedAttributeList, at: flaw.offset, "expected a comma after the value of \(name)")
            case .quoteInside:
                problem(
                    .malformedAttributeList,
                    at: flaw.offset,
                    "the value of \(name) contains a quotation mark: the attribute is ignored"
                )
            }
        }
        guard var item = element.item else {
            if !element.flaws.contains(where: { $0.kind == .empty }) { hasSkippedElement = true }
            return true
        }
        item.key = Self.key(bytes, item.name)
        return append(bytes, item)
    }

    @inline(__always)
    private static func isValueByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"")
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x30...0x39, 0x2D: true
        default: false
        }
    }

    /// Returns the first eight bytes of a name; shorter names are padded with 0.
    @inline(__always)
    private static func key(_ bytes: RawSpan, _ name: Range<Int>) -> UInt64 {
        if name.lowerBound + 8 <= bytes.byteCount {
            let word = bytes.unsafeLoadUnaligned(fromByteOffset: name.lowerBound, as: UInt64.self).littleEndian
            return name.count >= 8 ? word : word & ((1 << UInt64(name.count * 8)) - 1)
        }
        var key: UInt64 = 0
        for (index, offset) in name.prefix(8).enumerated() {
            key |= UInt64(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) << UInt64(index * 8)
        }
        return key
    }

    /// Returns the key of a name in the source code.
    @inline(__always)
    private static func key(_ name: StaticString) -> UInt64 {
        name.withUTF8Buffer { buffer in
            var key: UInt64 = 0
            for index in 0..<min(buffer.count, 8) { key |= UInt64(buffer[index]) << UInt64(index * 8) }
            return key
        }
    }

    /// Returns whether the list has another attribute with the name.
    @inline(__always)
    private func has(_ bytes: RawSpan, _ item: Item) -> Bool {
        items.contains { other in
            guard other.key == item.key, other.name.count == item.name.count else { return false }
            for index in 0..<max(0, item.name.count - 8)
            where bytes.unsafeLoad(fromByteOffset: other.name.lowerBound + 8 + index, as: UInt8.self)
                != bytes.unsafeLoad(fromByteOffset: item.name.lowerBound + 8 + index, as: UInt8.self)
            {
                return false
            }
            return true
        }
    }

    /// Finds an attribute and marks it as read.
    mutating func item(_ name: StaticString) -> Item? {
        let key = Self.key(name)
        let count = name.utf8CodeUnitCount
        for index in items.indices where items[index].key == key && items[index].name.count == count {
            let start = items[index].name.lowerBound
            let isSame = name.withUTF8Buffer { buffer in
                for offset in 8..<max(8, count) where buffer[offset] != source[start + offset] { return false }
                return true
            }
            if isSame {
                items[index].isUsed = true
                return items[index]
            }
        }
        return nil
    }

    mutating func missing<Value>(_ name: StaticString, _ required: Bool) -> Value? {
        if required {
            report(missing: name)
            isUsable = false
        }
        return nil
    }

    /// Reports that an attribute is missing, unless the element that was skipped may be the attribute.
    mutating func report(missing name: StaticString) {
        guard !hasSkippedElement else { return }
        problem(.missingAttribute, at: context.lineStart, "\(name) is missing")
    }

    /// Reports a value that is not used. The tag is not usable without a required attribute.
    mutating func malformed<Value>(
        _ name: StaticString,
        _ item: Item,
        _ expected: String,
        required: Bool = false
    ) -> Value? {
        problem(
            .malformedAttributeValue,
            at: item.value.lowerBound,
            "\(name) is not \(expected)" + (required ? "" : ": the attribute is ignored")
        )
        if required { isUsable = false }
        return nil
    }

    /// Reports quotation marks that the type of the attribute does not have. The value is used, as players do.
    mutating func checkUnquoted(_ name: StaticString, _ item: Item) {
        guard item.isQuoted else { return }
        problem(
            .malformedAttributeValue,
            at: item.value.lowerBound - 1,
            "\(name) has quotation marks, which its type does not have: remove them"
        )
    }

    /// Reports the absence of the quotation marks of a quoted string. The value is used, as players do.
    mutating func checkQuoted(_ name: StaticString, _ item: Item) {
        guard !item.isQuoted else { return }
        problem(
            .malformedAttributeValue,
            at: item.value.lowerBound,
            "\(name) is not a quoted string: write the value in quotation marks"
        )
    }

    /// Returns the text of a value after variable substitution; nil if the substitution fails, which is reported.
    mutating func text(_ item: Item, _ name: @autoclosure () -> String) -> String? {
        let text = context.resolvedText(item.value, reading: "\(tag.rawValue), \(name())")
        if text == nil { hasProblem = true }
        return text
    }

    /// Reports a problem of the whole tag, and makes the tag unusable.
    mutating func reject(_ rule: RuleID, _ message: String) {
        problem(rule, at: context.lineStart, message)
        isUsable = false
    }

    /// Makes the tag unusable because of an attribute that was reported.
    mutating func rejectReported() { isUsable = false }

    /// Returns the attributes that were not read, in the order of the playlist.
    mutating func remaining() -> [Attribute] {
        var result: [Attribute] = []
        for index in items.indices where !items[index].isUsed {
            let item = items[index]
            let name = context.source.text(item.name)
            if name.hasPrefix("REQ-") {
                context.report(
                    .unsupportedRequirement,
                    at: item.name.lowerBound,
                    "\(tag.rawValue): \(name) is not defined: clients ignore the tag"
                )
                isUsable = false
            } else if tag != .dateRange || !name.hasPrefix("X-") {
                context.report(.unknownAttribute, at: item.name.lowerBound, "\(tag.rawValue): \(name) is not defined")
            }
            if let text = item.isQuoted ? text(item, name) : context.source.text(item.value) {
                result.append(Attribute(name: name, value: text, isQuoted: item.isQuoted))
            }
        }
        return result
    }
}
