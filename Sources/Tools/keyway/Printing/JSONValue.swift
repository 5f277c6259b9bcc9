import Foundation

/// A JSON document whose fields stay in the order in which they were given.
enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case decimal(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One field of an object.
    struct Member: Sendable, Equatable {
        let key: String
        let value: JSONValue
    }

    /// An object of these fields; those without a value are left out.
    static func object(_ fields: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(fields.compactMap { key, value in value.map { Member(key: key, value: $0) } })
    }

    /// A string, if there is one.
    static func string(_ text: String?) -> JSONValue? { text.map { .string($0) } }

    /// The document, indented by two, with a newline at its end.
    var text: String {
        var text = ""
        write(to: &text, indent: "")
        return text + "\n"
    }

    private func write(to text: inout String, indent: String) {
        let inner = indent + "  "
        switch self {
        case .null: text += "null"
        case .bool(let flag): text += flag ? "true" : "false"
        case .integer(let number): text += "\(number)"
        case .decimal(let number): text += number.isFinite ? shortNumber(number) : "null"
        case .string(let string): text += Self.quoted(string)
        case .array(let items):
            guard !items.isEmpty else { return text += "[]" }
            var start = "[\n"
            for item in items {
                text += start + inner
                item.write(to: &text, indent: inner)
                start = ",\n"
            }
            text += "\n\(indent)]"
        case .object(let members):
            guard !members.isEmpty else { return text += "{}" }
            var start = "{\n"
            for member in members {
                text += "\(start)\(inner)\(Self.quoted(member.key)): "
                member.value.write(to: &text, indent: inner)
                start = ",\n"
            }
            text += "\n\(indent)}"
        }
    }

    private static func quoted(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }) { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value):
                result += "\\u" + hexadecimal(UInt64(scalar.value), digits: 4)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
