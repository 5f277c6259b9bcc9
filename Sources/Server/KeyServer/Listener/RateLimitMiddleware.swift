import HTTPTypes
package import Hummingbird

/// Charges every request to its address before it is processed, as ``RequestClass/other``. Routes charge for the
/// account and the actual class and amount later, when these are known.
package struct RateLimitMiddleware: RouterMiddleware {
    private let limiter: RateLimiter
    private let requestClass: RequestClass
    private let metrics: ServerMetrics?

    /// Creates the middleware for a group of routes.
    package init(limiter: RateLimiter, class requestClass: RequestClass = .other, metrics: ServerMetrics? = nil) {
        self.limiter = limiter
        self.requestClass = requestClass
        self.metrics = metrics
    }

    /// Passes the request on, or refuses it with 429.
    package func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        try limiter.require(
            account: nil,
            address: context.clientAddress,
            class: requestClass,
            metrics: metrics
        )
        return try await next(request, context)
    }
}
