import HTTPTypes
import Hummingbird
import NIOCore
package import TextCoding

extension JSONValue {
    /// Returns an object, without the fields that have no value.
    package static func fields(_ fields: [(name: String, value: JSONValue?)]) -> JSONValue {
        .object(JSONObject(fields.lazy.map { (key: $0.name, value: $0.value) }))
    }

    /// The text in UTF-8, without whitespace, with the fields in alphabetical order.
    var encoded: [UInt8] { encoded(sortingNames: true) }

    /// Returns a response with the value as its body, which must not be cached.
    func response(status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: encoded))
        )
    }
}
