/// Writes JSON (RFC 8259) in UTF-8: no white space, fields in alphabetical order, nothing escaped that need not be.
///
/// Every licence of a batch passes through here, so it goes once over the bytes. Foundation's encoder would build a tree of
/// its own first.
struct JSONWriter {
    private var text: [UInt8] = []

    /// The text of a value.
    static func write(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.text.reserveCapacity(value.roughSize)
        writer.append(value)
        return writer.text
    }

    private mutating func append(_ value: JSONValue) {
        switch value {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .integer(let value): text += "\(value)".utf8
        case .number(let value): append(value)
        case .string(let value): append(value)
        case .array(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(value)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(member.key)
                text.append(UInt8(ascii: ":"))
                append(member.value)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// A whole number without a fraction; JSON has neither infinity nor NaN, so those become null.
    private mutating func append(_ number: Double) {
        if let whole = Int(exactly: number) {
            text += "\(whole)".utf8
        } else {
            text += (number.isFinite ? "\(number)" : "null").utf8
        }
    }

    /// Most strings are one run of bytes that stand for themselves, and CKCs are long.
    private mutating func append(_ string: String) {
        text.append(UInt8(ascii: "\""))
        var string = string
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
            text.append(Self.digits[Int(byte >> 4)])
            text.append(Self.digits[Int(byte & 15)])
        default:
            text.append(UInt8(ascii: "\\"))
            text.append(byte)
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)
}

extension JSONValue {
    /// About how many bytes its text has: what has to be escaped is not looked for.
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
