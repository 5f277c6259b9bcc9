import HTTPTypes
package import Hummingbird

/// Which web pages may use the routes for players (CORS). A page that is not listed gets no answer that it could read.
///
/// Tokens travel in a header that the page sets, so no credentials of the browser are ever allowed.
package struct CrossOrigin: RouterMiddleware {
    /// Pages that may ask.
    package enum Origins: Sendable, Equatable {
        /// Of these origins, such as `https://www.example.com`.
        case listed(Set<String>)
        /// All.
        case all
    }

    private let origins: Origins

    /// Makes the middleware for public routes.
    package init(origins: Origins) { self.origins = origins }

    /// Answers preflight requests, and adds to the others' answers that the page may read them.
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
                response.headers[.accessControlAllowHeaders] = "authorization, content-type, traceparent"
                response.headers[.accessControlMaxAge] = "600"
            }
        } else {
            response = try await next(request, context)
            if allowed != nil {
                response.headers[.accessControlExposeHeaders] =
                    "keyway-persistable, keyway-dual-expiry, retry-after, traceparent, x-request-id"
            }
        }
        if let allowed { response.headers[.accessControlAllowOrigin] = allowed }
        // Whatever keeps an answer must not show it to another origin.
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
