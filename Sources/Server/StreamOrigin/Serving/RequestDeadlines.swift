import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections, or streams of HTTP/2, of clients that are too slow to send a request or to receive a response. A
/// request that waits for the server has no deadline here.
final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits
    /// The timer for the client to send something.
    private var readTimer: Scheduled<Void>?
    /// The timer for the client to receive something.
    private var writeTimer: Scheduled<Void>?
    /// The number of writes that are not complete.
    private var pendingWrites = 0
    private var lastProgress = NIODeadline.now()
    /// The number of requests without a complete response.
    private var unanswered = 0

    init(_ limits: ConnectionLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { expect(within: limits.headDeadline, context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancel() }

    func channelActive(context: ChannelHandlerContext) {
        expect(within: limits.headDeadline, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            unanswered += 1
            expect(within: limits.bodyDeadline, context)
            // HTTP/2 has no need for it: the client sends the body at once.
            if head.headerFields[.expect]?.lowercased() == "100-continue" {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        case .body: break
        case .end:
            readTimer?.cancel()
            readTimer = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
        if pendingWrites == 0 { lastProgress = .now() }
        pendingWrites += 1
        if writeTimer == nil { startWriteTimer(context) }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            handler.value.pendingWrites -= 1
            handler.value.lastProgress = .now()
        }
        if case .end = part {
            unanswered -= 1
            if unanswered == 0 { expect(within: limits.idleTimeout, context) }
        }
        context.write(data, promise: promise)
    }

    private func expect(within limit: Duration, _ context: ChannelHandlerContext) {
        readTimer?.cancel()
        let channel = context.channel
        readTimer = context.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
    }

    /// Checks the progress of writes until none is pending.
    private func startWriteTimer(_ context: ChannelHandlerContext) {
        let (limit, channel) = (TimeAmount(limits.writeTimeout), context.channel)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        writeTimer = context.eventLoop.scheduleTask(deadline: lastProgress + limit) {
            let (handler, context) = bound.value
            handler.writeTimer = nil
            guard handler.pendingWrites > 0 else { return }
            if .now() - handler.lastProgress >= limit { return channel.close(promise: nil) }
            handler.startWriteTimer(context)
        }
    }

    private func cancel() {
        readTimer?.cancel()
        writeTimer?.cancel()
        (readTimer, writeTimer) = (nil, nil)
    }
}
