import HTTPTypes
import Hummingbird
import NIOCore
import TextCoding

/// An answer that is no success, as RFC 9457 has it. Thrown by routes, written by ``ProblemMiddleware``.
///
/// What it says is for the client: no internals, nothing that tells how an SPC failed.
package struct ProblemDocument: Error, Sendable, Equatable {
    /// What went wrong; the URI, the title and the status.
    package let type: ProblemType
    /// What about this request, in a sentence.
    package let detail: String?
    /// The stable code of the rule that refused, where there is one.
    package let reason: String?
    /// When to come back, in seconds.
    package let retryAfter: Int?
    /// What the audit log has beside all this. It is not in the document: the client never sees it.
    package var auditDetail: String?

    /// Makes a problem.
    package init(
        _ type: ProblemType,
        detail: String? = nil,
        reason: String? = nil,
        retryAfter: Int? = nil,
        auditDetail: String? = nil
    ) {
        self.type = type
        self.detail = detail
        self.reason = reason
        self.retryAfter = retryAfter
        self.auditDetail = auditDetail
    }

    /// The document. `instance` is the ID of the request, by which the operator finds it in log and audit.
    func json(instance: String?) -> JSONValue {
        .fields([
            ("type", .string(type.uri)),
            ("title", .string(type.title)),
            ("status", .integer(type.status.code)),
            ("detail", detail.map { .string($0) }),
            ("reason", reason.map { .string($0) }),
            ("instance", instance.map { .string($0) }),
        ])
    }

    /// The answer.
    func response(instance: String) -> Response {
        var headers: HTTPFields = [.contentType: "application/problem+json", .cacheControl: "no-store"]
        // RFC 9110 wants it with every 401; the type of the problem says more than RFC 6750's three words could.
        if type.status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: json(instance: instance).encoded))
        return Response(status: type.status, headers: headers, body: body)
    }
}
