import HTTPTypes
package import Hummingbird
import Logging

/// Determines the client address, behind proxies, and the trace of a request, and adds them to the log and the
/// response. Responses get `Cache-Control: no-store` by default.
package struct RequestOrigin: RouterMiddleware {
    private let proxies: TrustedProxies

    /// Creates the middleware, which must be the first.
    package init(proxies: TrustedProxies) { self.proxies = proxies }

    /// Passes the request on with its client address and trace.
    package func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.clientAddress = proxies.client(
            peer: context.peerAddress,
            forwardedFor: request.headers[values: .xForwardedFor]
        )
        // Ignore repeated headers, because the valid one cannot be determined.
        let traceparents = request.headers[values: .traceparent]
        if traceparents.count == 1 { context.trace = TraceContext(traceparent: traceparents[0]) }
        context.logger[metadataKey: "trace"] = "\(context.trace.traceID)"
        context.logger[metadataKey: "span"] = "\(context.trace.spanID)"
        var response = try await next(request, context)
        response.headers[.traceparent] = context.trace.traceparent
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return response
    }
}

extension HTTPField.Name {
    /// The header in which proxies list the addresses of their clients.
    static let xForwardedFor = Self("X-Forwarded-For")!
    /// The header of the W3C trace context.
    package static let traceparent = Self("traceparent")!
}
