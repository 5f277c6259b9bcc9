import HTTPTypes
import Hummingbird
import NIOCore
import TextCoding

/// An error response as an RFC 9457 problem document. Routes throw it; ``ProblemMiddleware`` writes it.
///
/// The client sees the document, so it contains no internals and nothing that reveals how an SPC failed.
package struct ProblemDocument: Error, Sendable, Equatable {
    /// The problem type, which determines the URI, the title and the status.
    package let type: ProblemType
    /// A sentence about this occurrence of the problem.
    package let detail: String?
    /// The stable code of the rule that refused the request, if there is one.
    package let reason: String?
    /// The place in a policy document that is not valid, as a path such as `persist.storage`.
    package let field: String?
    /// The value of `Retry-After`, in seconds.
    package let retryAfter: Int?
    /// Additional detail for the audit log. The document does not contain it, so the client never sees it.
    package var auditDetail: String?
    /// The account for the audit log, if a valid signature proves it. The document does not contain it.
    package var auditAccount: String?

    /// Creates a problem document.
    package init(
        _ type: ProblemType,
        detail: String? = nil,
        reason: String? = nil,
        field: String? = nil,
        retryAfter: Int? = nil,
        auditDetail: String? = nil,
        auditAccount: String? = nil
    ) {
        self.type = type
        self.detail = detail
        self.reason = reason
        self.field = field
        self.retryAfter = retryAfter
        self.auditDetail = auditDetail
        self.auditAccount = auditAccount
    }

    /// Returns the document as JSON. `instance` is the request ID, which the operator can find in the logs and the
    /// audit log.
    func json(instance: String?) -> JSONValue {
        .fields([
            ("type", .string(type.uri)),
            ("title", .string(type.title)),
            ("status", .integer(type.status.code)),
            ("detail", detail.map { .string($0) }),
            ("reason", reason.map { .string($0) }),
            ("field", field.map { .string($0) }),
            ("instance", instance.map { .string($0) }),
        ])
    }

    /// Returns the HTTP response with this document as its body.
    func response(instance: String) -> Response {
        var headers: HTTPFields = [.contentType: "application/problem+json", .cacheControl: "no-store"]
        // RFC 9110 requires this header with every 401. The problem type is more precise than RFC 6750's three error
        // codes.
        if type.status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: json(instance: instance).encoded))
        return Response(status: type.status, headers: headers, body: body)
    }
}
