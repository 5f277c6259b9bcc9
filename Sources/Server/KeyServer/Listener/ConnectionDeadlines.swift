import NIOCore
import NIOHTTP1

/// The body of a request did not arrive in time.
struct BodyDeadlineExceeded: Error {}

/// An outbound event: a whole answer as it goes on the wire, to the one request that is owed one. Nothing has to encode it.
struct EncodedAnswer: Sendable {
    let bytes: ByteBuffer
    /// Whether it says that the connection ends with it.
    let isLast: Bool
    /// Whether more of the request may be under way, which is not read.
    var leavesRest = false
}

/// Cuts off clients that are too slow, in either direction.
///
/// Hummingbird's own idle timeout begins anew with every part of a body, so that one byte now and then keeps a
/// connection for ever. Here a body has one deadline as a whole. A client that misses it is told so (408) when nothing
/// has been answered yet; one that has not even sent a head is not.
///
/// Nearly every request comes in one piece and its answer goes out in one. For those nothing is scheduled: the event loop
/// looks through all its timers for one to cancel, and ten thousand connections have as many.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let limits: ListenerLimits
    /// Until when the client must have sent what it owes, and what happens if it has not.
    private var owed: (deadline: NIODeadline, action: (ConnectionDeadlines, ChannelHandlerContext) -> Void)?
    /// Looks at `owed`, and again when that has moved meanwhile.
    private var readTimer: (at: NIODeadline, task: Scheduled<Void>)?
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
    /// Whether the last answer may go out before the client has sent everything.
    private var leavesRest = false
    /// Whether the last answer has gone and the client is still sending.
    private var isLingering = false
    private var encoder: ChannelHandlerContext?
    /// How long the 408 may take. The route has only to notice and to write it, but a busy machine may keep it waiting.
    static let graceForAnswer = TimeAmount.seconds(30)

    init(_ limits: ListenerLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { expectHead(within: limits.headDeadline, context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        encoder = nil
        cancelTimers()
    }

    func channelActive(context: ChannelHandlerContext) {
        expectHead(within: limits.headDeadline, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancelTimers()
        context.fireChannelInactive()
    }

    private func cancelTimers() {
        owed = nil
        readTimer?.task.cancel()
        writeTimer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isLingering {
            if isReading, case .end = unwrapInboundIn(data) { context.close(promise: nil) }
            return
        }
        switch unwrapInboundIn(data) {
        case .head:
            isReading = true
            unanswered += 1
            owed = (context.eventLoop.now + TimeAmount(limits.bodyDeadline), { $0.missBodyDeadline($1) })
        case .body:
            break
        case .end:
            isReading = false
            owed = nil
        }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isLingering, case ChannelEvent.inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isReading { watchReading(context) }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
        notice(promise, context)
        switch unwrapOutboundIn(data) {
        case .head(var head) where !(100..<200).contains(head.status.code):
            isAnswering = true
            if isReading || closesAfterAnswer || !head.isKeepAlive {
                closesAfterAnswer = true
                head.headers.replaceOrAdd(name: "Connection", value: "close")
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            ended(promise, context)
            context.write(data, promise: promise)
        default:
            context.write(data, promise: promise)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let answer = event as? EncodedAnswer else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
        if answer.isLast { closesAfterAnswer = true }
        leavesRest = answer.leavesRest
        notice(promise, context)
        ended(promise, context)
        // What the encoder's own context writes goes past the encoder.
        if encoder == nil {
            encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
        }
        (encoder ?? context).write(NIOAny(IOData.byteBuffer(answer.bytes)), promise: promise)
        flush(context: context)
    }

    /// Learns when something that is written has gone.
    private func notice(_ promise: EventLoopPromise<Void>, _ context: ChannelHandlerContext) {
        unflushed += 1
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            let (handler, context) = loopBound.value
            handler.flushed(context)
        }
    }

    /// An answer ends with what the promise is for.
    private func ended(_ promise: EventLoopPromise<Void>, _ context: ChannelHandlerContext) {
        isAnswering = false
        // What could not be read as a request is answered too.
        unanswered = max(unanswered - 1, 0)
        guard closesAfterAnswer else { return }
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            let (handler, context) = loopBound.value
            handler.closeOrLinger(context)
        }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        if unflushed > 0, writeTimer == nil { watchWriting(context) }
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

    /// Closing while bytes arrive resets the connection, and the reset may overtake the answer. So this side alone is closed, and
    /// what is left of the request is read and dropped until it ends, the client closes too, or the deadline comes (RFC 9112,
    /// 9.6).
    private func closeOrLinger(_ context: ChannelHandlerContext) {
        guard !isLingering else { return }
        guard isReading || leavesRest else { return context.close(promise: nil) }
        isLingering = true
        context.close(mode: .output, promise: nil)
        if !isReading { schedule(after: TimeAmount(limits.bodyDeadline), context) { $1.close(promise: nil) } }
    }

    private func watchWriting(_ context: ChannelHandlerContext) {
        writeTimer?.cancel()
        writeTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.writeTimeout)) {
            context.close(promise: nil)
        }
    }

    private func flushed(_ context: ChannelHandlerContext) {
        unflushed -= 1
        if unflushed > 0 {
            // Some of it was taken, which gives the rest its time anew.
            if writeTimer != nil { watchWriting(context) }
            return
        }
        writeTimer?.cancel()
        writeTimer = nil
        if unanswered == 0, !closesAfterAnswer { expectHead(within: limits.idleTimeout, context) }
    }

    /// One deadline at a time is what a client has for sending.
    private func schedule(
        after delay: TimeAmount,
        _ context: ChannelHandlerContext,
        _ action: @escaping (ConnectionDeadlines, ChannelHandlerContext) -> Void
    ) {
        owed = (context.eventLoop.now + delay, action)
        watchReading(context)
    }

    /// A timer that fires early enough is left alone: it finds the deadline where it is then.
    private func watchReading(_ context: ChannelHandlerContext) {
        guard let (deadline, _) = owed else { return }
        if let readTimer, readTimer.at <= deadline { return }
        readTimer?.task.cancel()
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.readTimer = nil
            guard let (deadline, action) = self.owed else { return }
            guard deadline <= context.eventLoop.now else { return self.watchReading(context) }
            self.owed = nil
            action(self, context)
        }
        readTimer = (deadline, task)
    }
}
