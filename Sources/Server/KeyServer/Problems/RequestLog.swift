import HTTPTypes
package import Hummingbird
import Logging

/// Logs one line for a request: method, route, status and time. Neither body nor header, and the route as it stands in
/// the router instead of the path, since query and path may hold tokens.
package struct RequestLog: RouterMiddleware {
    private static let probes: Set<String> = ["/healthz", "/readyz", "/metrics"]
    private let metrics: ServerMetrics?

    /// Makes the middleware.
    ///
    /// - Parameter metrics: where requests are counted too.
    package init(metrics: ServerMetrics? = nil) { self.metrics = metrics }

    /// Passes the request on and logs what came of it.
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
        // Who only looks whether the server is well comes every few seconds.
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
