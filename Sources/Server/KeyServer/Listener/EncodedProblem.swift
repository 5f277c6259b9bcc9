import HTTPTypes
import Hummingbird
import NIOCore
import TextCoding

/// A problem document as an encoded HTTP/1.1 response that is created once; only the request ID is added per request.
///
/// It has no `instance` field, because requests that are refused before routing are not logged.
struct EncodedProblem: Sendable {
    private let head: String
    private let rest: String

    /// Encodes a problem.
    ///
    /// - Parameters:
    ///   - isLast: Whether the connection is closed after the response.
    ///   - hasBody: Whether the document is included; a response to HEAD has none.
    init(_ problem: ProblemDocument, isLast: Bool, hasBody: Bool = true) {
        let body = String(decoding: problem.json(instance: nil).encoded, as: UTF8.self)
        var fields = problem.response(instance: "").headers
        fields[.contentLength] = "\(body.utf8.count)"
        if isLast { fields[.connection] = "close" }
        let lines = fields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
        let status = problem.type.status
        head = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n\(lines)\(HTTPField.Name.requestID.rawName): "
        rest = "\r\n\r\n" + (hasBody ? body : "")
    }

    /// Returns the response to one request.
    func encoded(requestID: String) -> ByteBuffer {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(head.utf8.count + requestID.utf8.count + rest.utf8.count)
        bytes.writeString(head)
        bytes.writeString(requestID)
        bytes.writeString(rest)
        return bytes
    }
}
