import HTTPTypes
import Hummingbird
import NIOCore

/// A JSON text taken apart.
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

    /// Reads a whole text in UTF-8. A scalar has depth 0, an empty array depth 1.
    init(parsing text: [UInt8], maximumDepth: Int = 8) throws(JSONError) {
        self = try JSONParser.parse(text, maximumDepth: maximumDepth)
    }

    /// The text in UTF-8, without white space, fields in alphabetical order.
    var encoded: [UInt8] { JSONWriter.write(self) }

    /// The value as the body of an answer that nobody may keep.
    func response(status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: encoded))
        )
    }
}
