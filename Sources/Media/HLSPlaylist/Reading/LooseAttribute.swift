import ByteCoding

/// An element of an attribute list that does not match the grammar, parsed by the rules that players follow: hls.js and
/// Shaka Player separate elements at commas outside quotation marks, and ignore white space around names.
struct LooseAttribute {
    /// A violation of the grammar.
    struct Flaw {
        enum Kind {
            /// White space next to a comma, or at the start of the list.
            case space
            /// There is nothing between two commas, or next to a comma at the start or the end.
            case empty
            /// The name has characters that names do not have.
            case name
            case noEquals
            case spaceAtEquals
            case noValue
            /// The closing quotation mark is missing: the value ends at the next comma.
            case unclosed
            /// There is text after the closing quotation mark: it is ignored.
            case afterQuote
            /// An unquoted value contains a quotation mark, so it is not clear where it begins or ends.
            case quoteInside
        }

        let kind: Kind
        let offset: Int
    }

    /// The name as written, without white space around it.
    let name: Range<Int>
    /// The attribute; nil if the element has no usable name or value.
    private(set) var item: AttributeReader.Item?
    private(set) var flaws: [Flaw] = []
    /// The offset of the comma after the element, or the end of the list.
    private(set) var end: Int

    init(_ bytes: RawSpan, from start: Int, to limit: Int) {
        func byte(_ offset: Int) -> UInt8 { bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
        func isBlank(_ offset: Int) -> Bool { byte(offset) == 0x20 || byte(offset) == 0x09 }
        func next(_ position: Int, _ isEnd: (UInt8) -> Bool) -> Int {
            var position = position
            while position < limit, !isEnd(byte(position)) { position += 1 }
            return position
        }
        func trimmed(_ range: Range<Int>) -> Range<Int> {
            var (start, end) = (range.lowerBound, range.upperBound)
            while start < end, isBlank(start) { start += 1 }
            while end > start, isBlank(end - 1) { end -= 1 }
            return start..<end
        }
        /// Returns the offset of the next comma that is not between two quotation marks.
        func comma(_ position: Int) -> Int {
            var position = position
            while position < limit, byte(position) != 0x2C {
                if byte(position) == 0x22 {
                    let close = next(position + 1) { $0 == 0x22 }
                    if close < limit { position = close }
                }
                position += 1
            }
            return min(position, limit)
        }

        let equals = next(start) { $0 == 0x3D || $0 == 0x2C || $0 == 0x22 }
        let name = trimmed(start..<equals)
        self.name = name
        if name.lowerBound > start { flaws.append(Flaw(kind: .space, offset: start)) }
        guard equals < limit, byte(equals) == 0x3D else {
            end = comma(equals)
            flaws.append(Flaw(kind: name.isEmpty && end == equals ? .empty : .noEquals, offset: name.lowerBound))
            return
        }
        if name.upperBound < equals || (equals + 1 < limit && isBlank(equals + 1)) {
            flaws.append(Flaw(kind: .spaceAtEquals, offset: name.upperBound < equals ? name.upperBound : equals + 1))
        }
        var value: Range<Int>
        let first = next(equals + 1) { $0 != 0x20 && $0 != 0x09 }
        let isQuoted = first < limit && byte(first) == 0x22
        if isQuoted {
            let close = next(first + 1) { $0 == 0x22 }
            if close < limit {
                value = first + 1..<close
                end = next(close + 1) { $0 != 0x20 && $0 != 0x09 }
                if end < limit, byte(end) != 0x2C {
                    flaws.append(Flaw(kind: .afterQuote, offset: end))
                    end = comma(end)
                } else if end > close + 1 {
                    flaws.append(Flaw(kind: .space, offset: close + 1))
                }
            } else {
                end = next(first + 1) { $0 == 0x2C }
                value = trimmed(first + 1..<end)
                flaws.append(Flaw(kind: .unclosed, offset: first))
            }
        } else {
            end = comma(first)
            value = trimmed(first..<end)
            if let quote = value.first(where: { byte($0) == 0x22 }) {
                flaws.append(Flaw(kind: .quoteInside, offset: quote))
            } else if value.upperBound < end {
                flaws.append(Flaw(kind: .space, offset: value.upperBound))
            }
        }
        if name.isEmpty || !name.allSatisfy({ AttributeReader.isNameByte(byte($0)) }) {
            let wrong = name.first { !AttributeReader.isNameByte(byte($0)) } ?? equals
            flaws.append(Flaw(kind: .name, offset: wrong))
        } else if flaws.contains(where: { $0.kind == .quoteInside }) {
            return
        } else if value.isEmpty, !isQuoted {
            flaws.append(Flaw(kind: .noValue, offset: first))
        } else {
            item = AttributeReader.Item(name: name, value: value, isQuoted: isQuoted)
        }
    }
}
