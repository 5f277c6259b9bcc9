import HTTPTypes

/// The web pages whose scripts may read responses (CORS, in the Fetch standard). Responses never depend on cookies.
package enum CrossOriginPolicy: Sendable, Equatable {
    /// All pages.
    case any
    /// Pages of these origins, such as `https://www.example.com`; none if the set is empty.
    case listed(Set<String>)

    /// Adds the fields to a response of `GET` or `HEAD`.
    func apply(_ origin: String?, to headers: inout HTTPFields) {
        switch self {
        case .any:
            headers[.accessControlAllowOrigin] = "*"
            headers[.accessControlExposeHeaders] = Self.exposed
        case .listed(let origins):
            // A cache must not send the response to a page of another origin.
            headers.append(HTTPField(name: .vary, value: "Origin"))
            guard let origin, origins.contains(origin) else { return }
            headers[.accessControlAllowOrigin] = origin
            headers[.accessControlExposeHeaders] = Self.exposed
        }
    }

    /// Adds the fields to the response of a preflight request.
    func applyPreflight(_ origin: String?, to headers: inout HTTPFields) {
        apply(origin, to: &headers)
        guard headers[.accessControlAllowOrigin] != nil else { return }
        headers[.accessControlAllowMethods] = "GET, HEAD"
        headers[.accessControlAllowHeaders] = "cmcd-object, cmcd-request, cmcd-session, cmcd-status, range"
        headers[.accessControlMaxAge] = "86400"
    }

    private static let exposed = "content-length, content-range, date, etag"
}
