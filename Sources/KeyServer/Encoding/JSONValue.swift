/// A JSON text taken apart. Objects keep their order; numbers keep their digits.
indirect enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    struct Member: Sendable, Equatable {
        let name: String
        let value: JSONValue
    }

    static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

    /// An object without the fields that have no value.
    static func fields(_ fields: [(name: String, value: JSONValue?)]) -> JSONValue {
        .object(fields.compactMap { field in field.value.map { Member(name: field.name, value: $0) } })
    }

    /// The text in UTF-8, without white space.
    var encoded: [UInt8] {
        var text: [UInt8] = []
        encode(into: &text)
        return text
    }

    private func encode(into text: inout [UInt8]) {
        switch self {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .number(let digits): text += digits.utf8
        case .string(let value): Self.encode(value, into: &text)
        case .array(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                value.encode(into: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                Self.encode(member.name, into: &text)
                text.append(UInt8(ascii: ":"))
                member.value.encode(into: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private static func encode(_ string: String, into text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): text += #"\""#.utf8
            case UInt8(ascii: "\\"): text += #"\\"#.utf8
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                text += (byte < 0x10 ? "\\u000" : "\\u00").utf8
                text += digits.utf8
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
