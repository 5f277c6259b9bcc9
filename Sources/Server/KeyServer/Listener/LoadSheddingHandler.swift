import NIOCore
import NIOHTTP1

/// One connection's. It stands between the connection's deadlines, which see its answers as any, and the routes.
final class LoadSheddingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// A request whose body has not ended.
    private struct Held {
        let route: LoadShedding.Route
        let isLast: Bool
        var parts: [HTTPServerRequestPart]
        /// Of the body, in bytes.
        var size = 0
    }

    private let shedding: LoadShedding
    private let maximumBody: Int
    /// Whether each request that the routes have was let in here, the oldest first.
    private var underWay: [Bool] = []
    private var held: Held?

    /// - Parameter maximumBody: a body beyond this is the route's to refuse, in bytes.
    init(_ shedding: LoadShedding, maximumBody: Int) {
        self.shedding = shedding
        self.maximumBody = maximumBody
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch part {
        case .head(let head):
            // An answer from here must not overtake one that a route still owes.
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

    /// The route refuses such a body before it comes.
    private func announcesTooMuch(_ head: HTTPRequestHead) -> Bool {
        head.headers.first(name: "content-length").map { Int($0) ?? .max > maximumBody } ?? false
    }

    private func pass(_ parts: [HTTPServerRequestPart], isAdmitted: Bool, _ context: ChannelHandlerContext) {
        held = nil
        underWay.append(isAdmitted)
        for part in parts { context.fireChannelRead(wrapInboundOut(part)) }
    }

    /// Lets the routes have what is held as it is.
    private func passHeld(_ context: ChannelHandlerContext) {
        if let held { pass(held.parts, isAdmitted: false, context) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), !underWay.isEmpty, underWay.removeFirst() { shedding.leave() }
        context.write(data, promise: promise)
    }

    /// A connection without a request is closed at a shutdown. What is held is in flight, and to be finished.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, held != nil {
            passHeld(context)
            context.fireChannelReadComplete()
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// The body's deadline, or what else ends a request that is held: the route is to answer it.
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
