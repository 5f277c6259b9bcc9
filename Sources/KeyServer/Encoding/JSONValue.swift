import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// A JSON text taken apart, by Foundation's coder.
enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    /// A number with a fraction, or too large for an integer.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// An object without the fields that have no value.
    static func fields(_ fields: [(name: String, value: JSONValue?)]) -> JSONValue {
        .object(Dictionary(uniqueKeysWithValues: fields.compactMap { field in field.value.map { (field.name, $0) } }))
    }

    /// Reads a whole text in UTF-8.
    init(parsing text: [UInt8]) throws(JSONError) {
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: Data(text))
        } catch {
            throw JSONError(reason: "this is not JSON", place: "the whole text")
        }
    }

    /// The text in UTF-8, without white space, fields in alphabetical order.
    var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only a number that JSON cannot have makes encoding fail, and none is ever put in.
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }

    /// The value as the body of an answer that nobody may keep.
    func response(status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: encoded))
        )
    }
}

extension JSONValue: Codable {
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
