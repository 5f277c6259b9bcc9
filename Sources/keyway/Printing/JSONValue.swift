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
    var text: String { rendered(indent: "") + "\n" }

    private func rendered(indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .integer(let number): return "\(number)"
        case .decimal(let number): return number.isFinite ? shortNumber(number) : "null"
        case .string(let text): return Self.quoted(text)
        case .array(let items):
            guard !items.isEmpty else { return "[]" }
            return "[\n" + items.map { inner + $0.rendered(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let lines = members.map { "\(inner)\(Self.quoted($0.key)): \($0.value.rendered(indent: inner))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }

    private static func quoted(_ text: String) -> String {
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
