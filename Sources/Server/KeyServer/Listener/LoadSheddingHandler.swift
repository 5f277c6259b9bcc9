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
    private struct Held {
        let route: LoadShedding.Route
        let isLast: Bool
        var parts: [HTTPServerRequestPart]
        /// The size of the body so far, in bytes.
        var size = 0
    }

    private let shedding: LoadShedding
    private let maximumBody: Int
    /// For each request that was passed to the routes, whether it was admitted here; oldest first.
    private var underWay: [Bool] = []
    private var held: Held?

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
            if underWay.isEmpty, let route = shedding.route(of: head), !announcesTooMuch(head) {
                held = Held(route: route, isLast: !head.isKeepAlive, parts: [part])
                return
            }
            underWay.append(false)
        case .body(let bytes):
            if held != nil {
                held?.parts.append(part)
                held?.size += bytes.readableBytes
                if let held, held.size > maximumBody { passHeld(context) }
                return
            }
        case .end:
            if let held {
                if shedding.enter() { return pass(held.parts + [part], isAdmitted: true, context) }
                self.held = nil
                let bytes = shedding.refusal(at: held.route, isLast: held.isLast)
                return context.triggerUserOutboundEvent(EncodedAnswer(bytes: bytes, isLast: held.isLast), promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    /// Whether the announced body is too large. The route refuses it before it arrives.
    private func announcesTooMuch(_ head: HTTPRequestHead) -> Bool {
        head.headers.first(name: "content-length").map { Int($0) ?? .max > maximumBody } ?? false
    }

    private func pass(_ parts: [HTTPServerRequestPart], isAdmitted: Bool, _ context: ChannelHandlerContext) {
        held = nil
        underWay.append(isAdmitted)
        for part in parts { context.fireChannelRead(wrapInboundOut(part)) }
    }

    /// Passes the held request to the routes.
    private func passHeld(_ context: ChannelHandlerContext) {
        if let held { pass(held.parts, isAdmitted: false, context) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), !underWay.isEmpty, underWay.removeFirst() { shedding.leave() }
        context.write(data, promise: promise)
    }

    /// Handles a shutdown, at which connections without a request are closed. A held request is in progress and must be
    /// finished.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, held != nil {
            passHeld(context)
            context.fireChannelReadComplete()
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Passes a held request to its route, which responds to the error, for example to the body's deadline.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        passHeld(context)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        for isAdmitted in underWay where isAdmitted { shedding.leave() }
        underWay = []
        held = nil
        context.fireChannelInactive()
    }
}
