import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// The body of a request did not arrive in time.
struct BodyDeadlineExceeded: Error {}

/// Cuts off clients that are too slow, in either direction.
///
/// Hummingbird's own idle timeout begins anew with every part of a body, so that one byte now and then keeps a
/// connection for ever. Here a body has one deadline as a whole. A client that misses it is told so (408) when nothing
/// has been answered yet; one that has not even sent a head is not.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ListenerLimits
    /// Fires when the client has not sent what it owes.
    private var readTimer: Scheduled<Void>?
    /// Fires when the client does not take what it is sent.
    private var writeTimer: Scheduled<Void>?
    /// Whether a head has arrived whose body has not ended.
    private var isReading = false
    /// Requests whose answer has not ended; more than one when a client does not wait for answers.
    private var unanswered = 0
    /// Whether the answer to the oldest of them has begun.
    private var isAnswering = false
    private var unflushed = 0
    private var closesAfterAnswer = false
    /// How long the 408 may take: the route has only to notice and to write it.
    private static let graceForAnswer = TimeAmount.seconds(5)

    init(_ limits: ListenerLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { expectHead(within: limits.headDeadline, context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        readTimer?.cancel()
        writeTimer?.cancel()
    }

    func channelActive(context: ChannelHandlerContext) {
        expectHead(within: limits.headDeadline, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        readTimer?.cancel()
        writeTimer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isReading = true
            unanswered += 1
            schedule(after: TimeAmount(limits.bodyDeadline), context) { $0.missBodyDeadline($1) }
        case .body:
            break
        case .end:
            isReading = false
            readTimer?.cancel()
            if unanswered == 0 {
                // The answer went out before the body had ended, and announced the end of the connection.
                context.close(promise: nil)
                return
            }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
        unflushed += 1
        if unflushed == 1 { watchWriting(context) }
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            let (handler, context) = loopBound.value
            handler.flushed(context)
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational:
            isAnswering = true
            if isReading || closesAfterAnswer {
                closesAfterAnswer = true
                head.headerFields[.connection] = "close"
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            isAnswering = false
            unanswered -= 1
            if closesAfterAnswer {
                promise.futureResult.whenComplete { _ in
                    let (handler, context) = loopBound.value
                    handler.closeUnlessReading(context)
                }
            }
            context.write(data, promise: promise)
        default:
            context.write(data, promise: promise)
        }
    }

    private func expectHead(within limit: Duration, _ context: ChannelHandlerContext) {
        schedule(after: TimeAmount(limit), context) { $1.close(promise: nil) }
    }

    private func missBodyDeadline(_ context: ChannelHandlerContext) {
        guard unanswered > 0, !isAnswering else { return context.close(promise: nil) }
        // The route that waits for the body gets the error and answers; then, or soon, the connection is closed.
        isReading = false
        closesAfterAnswer = true
        schedule(after: Self.graceForAnswer, context) { $1.close(promise: nil) }
        context.fireErrorCaught(BodyDeadlineExceeded())
    }

    /// Closing while bytes arrive resets the connection, and the reset may overtake the answer. So what is left of the
    /// body is read and dropped until it ends or its deadline comes.
    private func closeUnlessReading(_ context: ChannelHandlerContext) {
        if !isReading { context.close(promise: nil) }
    }

    private func watchWriting(_ context: ChannelHandlerContext) {
        writeTimer?.cancel()
        writeTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.writeTimeout)) {
            context.close(promise: nil)
        }
    }

    private func flushed(_ context: ChannelHandlerContext) {
        unflushed -= 1
        writeTimer?.cancel()
        if unflushed > 0 {
            watchWriting(context)
        } else if unanswered == 0, !closesAfterAnswer {
            expectHead(within: limits.idleTimeout, context)
        }
    }

    /// One deadline at a time is what a client has for sending.
    private func schedule(
        after delay: TimeAmount,
        _ context: ChannelHandlerContext,
        _ action: @escaping (ConnectionDeadlines, ChannelHandlerContext) -> Void
    ) {
        readTimer?.cancel()
        readTimer = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { action(self, context) }
    }
}
