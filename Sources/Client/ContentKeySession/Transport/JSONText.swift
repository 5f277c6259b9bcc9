/// JSON as key servers speak it and bundles of offline media keep it, without Foundation: bounded in depth, an object's
/// first field of a name counts.
package enum JSONText: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A whole number; other numbers are read as ``null``, since no answer to a key request has one that matters.
    case integer(Int)
    case string(String)
    case array([JSONText])
    case object([Field])

    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: JSONText
    }

    package static func object(_ fields: KeyValuePairs<String, JSONText?>) -> JSONText {
        .object(fields.compactMap { name, value in value.map { Field(name: name, value: $0) } })
    }

    package subscript(name: String) -> JSONText? {
        guard case .object(let fields) = self else { return nil }
        return fields.first { $0.name == name }?.value
    }

    package var text: String? { if case .string(let text) = self { text } else { nil } }
    package var number: Int? { if case .integer(let number) = self { number } else { nil } }
    package var items: [JSONText]? { if case .array(let items) = self { items } else { nil } }

    /// The document in one line.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += "\(flag)".utf8
        case .integer(let number): bytes += "\(number)".utf8
        case .string(let text): Self.write(text, to: &bytes)
        case .array(let items):
            bytes.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                item.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let fields):
            bytes.append(UInt8(ascii: "{"))
            for (index, field) in fields.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(field.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                field.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
