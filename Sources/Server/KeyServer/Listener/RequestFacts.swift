import HTTPTypes
import Hummingbird

/// The facts of an HTTP request that authorization, limits and records depend on. A route determines them once, after
/// it has read the body.
package struct RequestFacts: Sendable {
    /// The route, as it is declared in the router.
    package let route: String
    /// The request ID, for the response and the audit log.
    package let requestID: String
    /// The client's address.
    package let address: ClientAddress?
    /// The client's address as text.
    package let remoteAddress: String?
    /// The origin of the web page, from the `Origin` header.
    package let origin: String?
    /// The trace that the request belongs to, for requests to other services.
    package var trace: TraceContext?
    /// The time at which the request arrived.
    let start: StartTime

    /// The time at which the request arrived, in Unix seconds.
    package var now: Int64 { start.milliseconds / 1000 }

    init(
        route: String,
        requestID: String,
        address: ClientAddress? = nil,
        origin: String? = nil,
        trace: TraceContext? = nil,
        start: StartTime
    ) {
        self.route = route
        self.requestID = requestID
        self.address = address
        remoteAddress = address?.description
        self.origin = origin
        self.trace = trace
        self.start = start
    }
}

extension PlaybackRequest {
    /// Creates the request for an authorizer, with the facts and the token of an HTTP request.
    ///
    /// - Parameters:
    ///   - route: The route, as it is declared in the router.
    ///   - token: The token.
    ///   - start: The current time.
    init(
        _ request: Request,
        _ context: ServerRequestContext,
        route: String,
        token: String?,
        at start: StartTime
    ) {
        self.init(
            RequestFacts(
                route: route,
                requestID: context.id,
                address: context.clientAddress,
                origin: request.headers[.origin],
                trace: context.trace,
                start: start
            ),
            token: token
        )
    }
}
