extension JSONValue {
    /// Returns the text in UTF-8 without white space, with the members in order or sorted by name.
    package func encoded(sortingNames: Bool = false) -> [UInt8] {
        var writer = JSONWriter(sortsNames: sortingNames, escapesDeletion: false)
        writer.text.reserveCapacity(roughSize)
        writer.append(self)
        return writer.text
    }

    /// The text with an indentation of two spaces and a newline at its end. The control characters U+007F to U+009F are
    /// escaped too, because the text can be printed to a terminal.
    package var indented: String {
        var writer = JSONWriter(sortsNames: false, escapesDeletion: true)
        writer.text.reserveCapacity(2 * roughSize)
        writer.append(self, indent: 0)
        writer.text.append(UInt8(ascii: "\n"))
        return String(decoding: writer.text, as: UTF8.self)
    }
}

/// A writer of JSON (RFC 8259) in UTF-8, which escapes only characters that must be escaped.
///
/// The writer processes the bytes once, because it encodes every license of a batch. Foundation's encoder would first
/// build an intermediate tree.
private struct JSONWriter {
    var text: [UInt8] = []
    let sortsNames: Bool
    let escapesDeletion: Bool

    init(sortsNames: Bool, escapesDeletion: Bool) {
        self.sortsNames = sortsNames
        self.escapesDeletion = escapesDeletion
    }

    /// Appends a value, with indentation if its depth is passed.
    mutating func append(_ value: JSONValue, indent: Int? = nil) {
        switch value {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .integer(let value): text += "\(value)".utf8
        case .number(let value): append(value)
        case .string(let value): append(value)
        case .array(let values):
            text.append(UInt8(ascii: "["))
            let inner = indent.map { $0 + 1 }
            for (index, value) in values.enumerated() {
                separate(index, inner)
                append(value, indent: inner)
            }
            if !values.isEmpty { newLine(indent) }
            text.append(UInt8(ascii: "]"))
        case .object(let object):
            text.append(UInt8(ascii: "{"))
            let inner = indent.map { $0 + 1 }
            for (index, member) in (sortsNames ? object.sorted : object.members).enumerated() {
                separate(index, inner)
                append(member.key)
                text.append(UInt8(ascii: ":"))
                if indent != nil { text.append(UInt8(ascii: " ")) }
                append(member.value, indent: inner)
            }
            if !object.isEmpty { newLine(indent) }
            text.append(UInt8(ascii: "}"))
        }
    }

    private mutating func separate(_ index: Int, _ indent: Int?) {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        newLine(indent)
    }

    private mutating func newLine(_ indent: Int?) {
        guard let indent else { return }
        text.append(UInt8(ascii: "\n"))
        text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * indent))
    }

    /// Appends a number, without a fraction if it is whole. JSON does not support infinity and NaN, so they become
    /// null.
    private mutating func append(_ number: Double) {
        if let whole = Int(exactly: number) {
            text += "\(whole)".utf8
        } else {
            text += (number.isFinite ? "\(number)" : "null").utf8
        }
    }

    /// Appends a string. Most strings do not need escapes, and CKCs are long, so runs without escapes are copied at
    /// once.
    private mutating func append(_ string: String) {
        text.append(UInt8(ascii: "\""))
        var string = string
        if escapesDeletion, !string.utf8.allSatisfy({ $0 < 0x7F }) { return appendForTerminal(string) }
        string.withUTF8 { bytes in
            var start = 0
            for index in bytes.indices where Self.needsEscape(bytes[index]) {
                text += UnsafeBufferPointer(rebasing: bytes[start..<index])
                appendEscaped(bytes[index])
                start = index + 1
            }
            text += UnsafeBufferPointer(rebasing: bytes[start...])
        }
        text.append(UInt8(ascii: "\""))
    }

    private mutating func appendForTerminal(_ string: String) {
        for scalar in string.unicodeScalars {
            switch scalar.value {
            case 0x7F...0x9F: text += "\\u00\(Hexadecimal.encode(UInt8(scalar.value)))".utf8
            case 0..<0x80 where Self.needsEscape(UInt8(scalar.value)): appendEscaped(UInt8(scalar.value))
            default: text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case 0x08: text += "\\b".utf8
        case 0x09: text += "\\t".utf8
        case 0x0A: text += "\\n".utf8
        case 0x0C: text += "\\f".utf8
        case 0x0D: text += "\\r".utf8
        case 0..<0x20:
            text += "\\u00".utf8
            text.append(Hexadecimal.digit(byte >> 4))
            text.append(Hexadecimal.digit(byte))
        default:
            text.append(UInt8(ascii: "\\"))
            text.append(byte)
        }
    }
}

extension JSONValue {
    /// The approximate size of the text in bytes, without escapes.
    fileprivate var roughSize: Int {
        switch self {
        case .null, .bool: 5
        case .integer, .number: 20
        case .string(let value): value.utf8.count + 2
        case .array(let values): values.reduce(2) { $0 + $1.roughSize + 1 }
        case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + $1.value.roughSize + 4 }
        }
    }
}
