import HTTPTypes
package import Hummingbird
import Logging

/// Finds out where a request comes from, by proxies and by trace, and has log and answer say it. Nothing that is not
/// said otherwise may be kept by anybody on the way back.
package struct RequestOrigin: RouterMiddleware {
    private let proxies: TrustedProxies

    /// Makes the middleware; it comes before all others.
    package init(proxies: TrustedProxies) { self.proxies = proxies }

    /// Passes the request on with what was found out.
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
        // Several of them are none: nobody can say which is true.
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
    /// Whom proxies were called by.
    static let xForwardedFor = Self("X-Forwarded-For")!
    /// The W3C's trace context.
    package static let traceparent = Self("traceparent")!
}
