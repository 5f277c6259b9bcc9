import HTTPTypes
package import Hummingbird
import Logging

/// Logs one line per request: method, route, status and duration. It logs neither bodies nor headers, and the route
/// pattern instead of the path, because the query and the path may contain tokens.
package struct RequestLog: RouterMiddleware {
    private static let probes: Set<String> = ["/healthz", "/readyz", "/metrics"]
    private let metrics: ServerMetrics?

    /// Creates the middleware.
    ///
    /// - Parameter metrics: The metrics in which requests are counted too.
    package init(metrics: ServerMetrics? = nil) { self.metrics = metrics }

    /// Passes the request on and logs its result.
    package func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let microseconds = (ContinuousClock.now - start) / Duration.microseconds(1)
        metrics?.request(
            method: request.method.rawValue,
            route: context.endpointPath,
            status: response.status.code
        )
        // Health probes arrive every few seconds.
        let isProbe = Self.probes.contains(context.endpointPath ?? "") && response.status.code < 400
        context.logger.log(
            level: isProbe ? .debug : .info,
            "request",
            metadata: [
                "method": "\(request.method.rawValue.prefix(20))",
                "route": "\(context.endpointPath ?? "-")",
                "status": "\(response.status.code)",
                "microseconds": "\(Int(microseconds))",
            ]
        )
        return response
    }
}
