import HTTPTypes
import Hummingbird
import NIOCore
import TextCoding

/// A problem document as a whole HTTP/1.1 answer, made once: all but the ID of the request.
///
/// It names no instance: neither log nor audit log have anything of a request that is refused before there is a route.
struct EncodedProblem: Sendable {
    private let head: String
    private let rest: String

    /// - Parameters:
    ///   - isLast: whether the connection ends with it.
    ///   - hasBody: whether the document follows; the answer to HEAD has none.
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

    /// The answer to one request.
    func encoded(requestID: String) -> ByteBuffer {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(head.utf8.count + requestID.utf8.count + rest.utf8.count)
        bytes.writeString(head)
        bytes.writeString(requestID)
        bytes.writeString(rest)
        return bytes
    }
}
