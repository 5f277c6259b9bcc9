import HTTPListening
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes streams of HTTP/2 of clients that are too slow to send a request or to receive a response, as
/// `ConnectionDeadlines` does for HTTP/1.1. A request that waits for the server has no deadline here.
final class StreamDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits
    private let connection: ConnectionGuard?
    /// The timer for the client to send the rest of the request.
    private var readTimer: Scheduled<Void>?
    /// The timer for the client to receive something.
    private var writeTimer: Scheduled<Void>?
    /// True until the request is complete.
    private var isReading = true
    /// True if the client waits for `100 Continue`.
    private var expectsContinue = false
    /// The number of writes that are not complete.
    private var pendingWrites = 0
    private var lastProgress = NIODeadline.uptimeNanoseconds(0)

    /// Creates the handler of a stream.
    ///
    /// - Parameter connection: The handler of the connection, which counts the stream.
    init(_ limits: ConnectionLimits, connection: ConnectionGuard?) {
        self.limits = limits
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) { connection?.streamOpened() }

    func handlerRemoved(context: ChannelHandlerContext) {
        cancel()
        connection?.streamClosed()
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): expectsContinue = head.headerFields[.expect]?.lowercased() == "100-continue"
        case .body: expectsContinue = false
        case .end: (isReading, expectsContinue) = (false, false)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Most requests are complete here, and need no timer.
        if isReading, readTimer == nil {
            let channel = context.channel
            readTimer = context.eventLoop.scheduleTask(in: TimeAmount(limits.bodyDeadline)) {
                channel.close(promise: nil)
            }
        } else if !isReading {
            readTimer?.cancel()
        }
        context.fireChannelReadComplete()
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyReadStarted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        promise?.succeed()
        guard expectsContinue else { return }
        expectsContinue = false
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        expectsContinue = false
        let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
        if pendingWrites == 0 { lastProgress = context.eventLoop.now }
        pendingWrites += 1
        if writeTimer == nil { startWriteTimer(context) }
        let loop = context.eventLoop
        let handler = NIOLoopBound(self, eventLoop: loop)
        promise.futureResult.whenComplete { _ in
            handler.value.pendingWrites -= 1
            handler.value.lastProgress = loop.now
        }
        context.write(data, promise: promise)
    }

    /// Checks the progress of writes until none is pending.
    private func startWriteTimer(_ context: ChannelHandlerContext) {
        let (limit, channel) = (TimeAmount(limits.writeTimeout), context.channel)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        writeTimer = context.eventLoop.scheduleTask(deadline: lastProgress + limit) {
            let (handler, context) = bound.value
            handler.writeTimer = nil
            guard handler.pendingWrites > 0 else { return }
            if context.eventLoop.now - handler.lastProgress >= limit { return channel.close(promise: nil) }
            handler.startWriteTimer(context)
        }
    }

    private func cancel() {
        readTimer?.cancel()
        writeTimer?.cancel()
        (readTimer, writeTimer) = (nil, nil)
    }
}
