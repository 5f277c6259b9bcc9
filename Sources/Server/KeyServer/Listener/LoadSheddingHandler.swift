import NIOCore
import NIOHTTP1

/// The load shedding of one connection. It is placed between the connection's deadlines, which handle its responses
/// like others, and the routes.
final class LoadSheddingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// A request whose body is incomplete.
    private struct PendingRequest {
        let route: LoadShedding.Route
        let isLast: Bool
        var parts: [HTTPServerRequestPart]
        /// The size of the body so far, in bytes.
        var size = 0
    }

    private let shedding: LoadShedding
    private let maximumBody: Int
    /// For each request that was passed to the routes, whether it was admitted here; oldest first.
    private var inProgress: [Bool] = []
    private var pending: PendingRequest?

    /// Creates the handler of a connection.
    ///
    /// - Parameter maximumBody: The maximum body size, in bytes; requests with larger bodies are passed to the route,
    ///   which refuses them.
    init(_ shedding: LoadShedding, maximumBody: Int) {
        self.shedding = shedding
        self.maximumBody = maximumBody
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch part {
        case .head(let head):
            // A response from here must not overtake the response to an earlier request.
            if inProgress.isEmpty, let route = shedding.route(of: head), !announcesLargeBody(head) {
                pending = PendingRequest(route: route, isLast: !head.isKeepAlive, parts: [part])
                return
            }
            inProgress.append(false)
        case .body(let bytes):
            if pending != nil {
                pending?.parts.append(part)
                pending?.size += bytes.readableBytes
                if let pending, pending.size > maximumBody { passPending(context) }
                return
            }
        case .end:
            if let pending {
                if shedding.enter() { return pass(pending.parts + [part], isAdmitted: true, context) }
                self.pending = nil
                let bytes = shedding.refusal(at: pending.route, isLast: pending.isLast)
                return context.triggerUserOutboundEvent(
                    EncodedResponse(bytes: bytes, isLast: pending.isLast),
                    promise: nil
                )
            }
        }
        context.fireChannelRead(data)
    }

    /// Returns whether the announced body is too large. The route refuses it before it arrives.
    private func announcesLargeBody(_ head: HTTPRequestHead) -> Bool {
        head.headers.first(name: "content-length").map { Int($0) ?? .max > maximumBody } ?? false
    }

    private func pass(_ parts: [HTTPServerRequestPart], isAdmitted: Bool, _ context: ChannelHandlerContext) {
        pending = nil
        inProgress.append(isAdmitted)
        for part in parts { context.fireChannelRead(wrapInboundOut(part)) }
    }

    /// Passes the held request to the routes.
    private func passPending(_ context: ChannelHandlerContext) {
        if let pending { pass(pending.parts, isAdmitted: false, context) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), !inProgress.isEmpty, inProgress.removeFirst() { shedding.leave() }
        context.write(data, promise: promise)
    }

    /// Handles a shutdown, at which connections without a request are closed. A held request is in progress and must be
    /// finished.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, pending != nil {
            passPending(context)
            context.fireChannelReadComplete()
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Passes a held request to its route, which responds to the error, for example to the body's deadline.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        passPending(context)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        for isAdmitted in inProgress where isAdmitted { shedding.leave() }
        inProgress = []
        pending = nil
        context.fireChannelInactive()
    }
}
