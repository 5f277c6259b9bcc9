import HTTPTypes
package import Hummingbird

/// The web pages that may use the routes for players (CORS). Browsers do not let other pages read the responses.
///
/// Pages send tokens in a header, so browser credentials are never allowed.
package struct CrossOrigin: RouterMiddleware {
    /// The permitted origins.
    package enum Origins: Sendable, Equatable {
        /// These origins, such as `https://www.example.com`.
        case listed(Set<String>)
        /// All origins.
        case all
    }

    private let origins: Origins
    /// The headers that pages may send.
    private let headers: String
    /// The headers of responses that pages may read.
    private let exposed: String

    /// Creates the middleware for public routes.
    ///
    /// - Parameters:
    ///   - headers: Further headers that pages may send.
    ///   - exposed: Further headers of responses that pages may read.
    package init(origins: Origins, headers: [String] = [], exposed: [String] = []) {
        self.origins = origins
        // Players send the headers of CTA-5004 (Common Media Client Data) with license requests too, if an app turns
        // them on.
        var names = [
            "accept", "authorization", "cmcd-object", "cmcd-request", "cmcd-session", "cmcd-status", "content-type",
            "traceparent",
        ]
        for name in headers.map({ $0.lowercased() }) where !names.contains(name) { names.append(name) }
        self.headers = names.joined(separator: ", ")
        let readable = ["keyway-persistable", "keyway-dual-expiry", "retry-after", "traceparent", "x-request-id"]
        self.exposed = (readable + exposed.map { $0.lowercased() }).joined(separator: ", ")
    }

    /// Answers preflight requests, and adds CORS headers to other responses.
    package func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        let origin = request.headers[.origin]
        let allowed = allowed(origin)
        var response: Response
        if request.method == .options, origin != nil, request.headers[.accessControlRequestMethod] != nil {
            response = Response(status: .noContent)
            if allowed != nil {
                response.headers[.accessControlAllowMethods] = "GET, HEAD, POST"
                response.headers[.accessControlAllowHeaders] = headers
                response.headers[.accessControlMaxAge] = "600"
            }
        } else {
            response = try await next(request, context)
            if allowed != nil {
                response.headers[.accessControlExposeHeaders] = exposed
            }
        }
        if let allowed { response.headers[.accessControlAllowOrigin] = allowed }
        // Caches must not return the response to a page of another origin.
        if origins != .all { response.headers.append(HTTPField(name: .vary, value: "Origin")) }
        return response
    }

    private func allowed(_ origin: String?) -> String? {
        switch origins {
        case .all: origin == nil ? nil : "*"
        case .listed(let origins): origin.flatMap { origins.contains($0) ? $0 : nil }
        }
    }
}
