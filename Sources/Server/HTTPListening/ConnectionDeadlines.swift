package import NIOCore
package import NIOHTTP1

/// An error that means that the body of a request did not arrive in time.
package struct BodyDeadlineExceeded: Error {}

/// An outbound event with a whole encoded response to the only unanswered request.
package struct EncodedResponse: Sendable {
    package let bytes: ByteBuffer
    /// True if the response announces that the connection will be closed.
    package let isLast: Bool
    /// True if more of the request, which is not read, may still arrive.
    package let hasUnreadInput: Bool

    /// Creates the event.
    package init(bytes: ByteBuffer, isLast: Bool, hasUnreadInput: Bool = false) {
        self.bytes = bytes
        self.isLast = isLast
        self.hasUnreadInput = hasUnreadInput
    }
}

/// Closes connections of clients that are too slow to send or to receive.
///
/// Hummingbird's idle timeout restarts with every part of a body, so a client that sends one byte at a time could keep
/// a connection open forever. Here the whole body has one deadline. A client that misses it gets the response 408 if no
/// response has been started. A client that has not sent a complete request head gets no response.
///
/// Nearly every request arrives in one read, and its response is sent in one write. No timers are scheduled for those,
/// because an event loop searches all its timers to cancel one, and ten thousand connections have as many timers.
package final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    /// The deadlines of one connection.
    package struct Limits: Sendable {
        /// The time from the opening of a connection to the end of its first request head.
        package var head: Duration
        /// The time from the end of the head to the end of the body, independent of progress.
        package var body: Duration
        /// The time from the end of a response to the end of the next head.
        package var idle: Duration
        /// The time without progress in sending a response.
        package var write: Duration

        /// Creates limits.
        package init(head: Duration, body: Duration, idle: Duration, write: Duration) {
            self.head = head
            self.body = body
            self.idle = idle
            self.write = write
        }
    }

    private let limits: Limits
    /// The deadline by which the client must send its data, and the action if it does not.
    private var pendingDeadline: (deadline: NIODeadline, action: (ConnectionDeadlines, ChannelHandlerContext) -> Void)?
    /// The timer that checks `pendingDeadline`, and reschedules itself if the deadline has moved.
    private var readTimer: (at: NIODeadline, task: Scheduled<Void>)?
    /// The timer that fires if the client does not read the response.
    private var writeTimer: Scheduled<Void>?
    /// True if a request head has arrived whose body is incomplete.
    private var isReading = false
    /// The number of requests whose response is incomplete; more than one if a client uses pipelining.
    private var unanswered = 0
    /// True if the response to the oldest of them has been started.
    private var isAnswering = false
    private var unflushed = 0
    private var closesAfterAnswer = false
    /// True if the last response may be sent before the client has sent the whole request.
    private var hasUnreadInput = false
    /// True if the last response has been sent and the client is still sending.
    private var isLingering = false
    private var encoder: ChannelHandlerContext?
    /// The time limit for the response 408. The route only has to write it, but a busy machine can delay that.
    package static let graceForAnswer = TimeAmount.seconds(30)

    /// Creates the handler of one connection.
    package init(_ limits: Limits) { self.limits = limits }

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { expectHead(within: limits.head, context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        encoder = nil
        cancelTimers()
    }

    package func channelActive(context: ChannelHandlerContext) {
        expectHead(within: limits.head, context)
        context.fireChannelActive()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        cancelTimers()
        context.fireChannelInactive()
    }

    private func cancelTimers() {
        pendingDeadline = nil
        readTimer?.task.cancel()
        writeTimer?.cancel()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isLingering {
            if isReading, case .end = unwrapInboundIn(data) { context.close(promise: nil) }
            return
        }
        switch unwrapInboundIn(data) {
        case .head:
            isReading = true
            unanswered += 1
            pendingDeadline = (
                context.eventLoop.now + TimeAmount(limits.body), { $0.handleMissedBodyDeadline($1) }
            )
        case .body:
            break
        case .end:
            isReading = false
            pendingDeadline = nil
        }
        context.fireChannelRead(data)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isLingering, case ChannelEvent.inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if isReading { startReadTimer(context) }
        context.fireChannelReadComplete()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
        trackFlush(promise, context)
        switch unwrapOutboundIn(data) {
        case .head(var head) where !(100..<200).contains(head.status.code):
            isAnswering = true
            if isReading || closesAfterAnswer || !head.isKeepAlive {
                closesAfterAnswer = true
                head.headers.replaceOrAdd(name: "Connection", value: "close")
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            finishResponse(promise, context)
            context.write(data, promise: promise)
        default:
            context.write(data, promise: promise)
        }
    }

    package func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?)
    {
        guard let answer = event as? EncodedResponse else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
        if answer.isLast { closesAfterAnswer = true }
        hasUnreadInput = answer.hasUnreadInput
        trackFlush(promise, context)
        finishResponse(promise, context)
        // A write from the encoder's context bypasses the encoder.
        if encoder == nil {
            encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
        }
        (encoder ?? context).write(NIOAny(IOData.byteBuffer(answer.bytes)), promise: promise)
        flush(context: context)
    }

    /// Calls ``flushed(_:)`` when the write of the promise completes.
    private func trackFlush(_ promise: EventLoopPromise<Void>, _ context: ChannelHandlerContext) {
        unflushed += 1
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            let (handler, context) = loopBound.value
            handler.flushed(context)
        }
    }

    /// Handles the end of a response, which is written when the promise completes.
    private func finishResponse(_ promise: EventLoopPromise<Void>, _ context: ChannelHandlerContext) {
        isAnswering = false
        // Input that is not a valid request gets a response too.
        unanswered = max(unanswered - 1, 0)
        guard closesAfterAnswer else { return }
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            let (handler, context) = loopBound.value
            handler.closeOrLinger(context)
        }
    }

    package func flush(context: ChannelHandlerContext) {
        context.flush()
        if unflushed > 0, writeTimer == nil { startWriteTimer(context) }
    }

    private func expectHead(within limit: Duration, _ context: ChannelHandlerContext) {
        schedule(after: TimeAmount(limit), context) { $1.close(promise: nil) }
    }

    private func handleMissedBodyDeadline(_ context: ChannelHandlerContext) {
        guard unanswered > 0, !isAnswering else { return context.close(promise: nil) }
        // The route that reads the body gets the error and responds; after that the connection is closed.
        isReading = false
        closesAfterAnswer = true
        schedule(after: Self.graceForAnswer, context) { $1.close(promise: nil) }
        context.fireErrorCaught(BodyDeadlineExceeded())
    }

    /// Closes the connection after a response. Closing it while data arrives would reset the connection, and the reset
    /// could arrive before the response. Therefore only the output is closed at first. The rest of the request is read
    /// and discarded until it ends, the client closes the connection, or the deadline passes (RFC 9112, 9.6).
    private func closeOrLinger(_ context: ChannelHandlerContext) {
        guard !isLingering else { return }
        guard isReading || hasUnreadInput else { return context.close(promise: nil) }
        isLingering = true
        context.close(mode: .output, promise: nil)
        if !isReading { schedule(after: TimeAmount(limits.body), context) { $1.close(promise: nil) } }
    }

    private func startWriteTimer(_ context: ChannelHandlerContext) {
        writeTimer?.cancel()
        writeTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.write)) {
            context.close(promise: nil)
        }
    }

    private func flushed(_ context: ChannelHandlerContext) {
        unflushed -= 1
        if unflushed > 0 {
            // The client has read part of the response, so the timeout for the rest restarts.
            if writeTimer != nil { startWriteTimer(context) }
            return
        }
        writeTimer?.cancel()
        writeTimer = nil
        if unanswered == 0, !closesAfterAnswer { expectHead(within: limits.idle, context) }
    }

    /// Sets the client's deadline for sending. There is one deadline at a time.
    private func schedule(
        after delay: TimeAmount,
        _ context: ChannelHandlerContext,
        _ action: @escaping (ConnectionDeadlines, ChannelHandlerContext) -> Void
    ) {
        pendingDeadline = (context.eventLoop.now + delay, action)
        startReadTimer(context)
    }

    /// Starts the timer for the deadline. A timer that fires earlier is kept, because it then checks the new deadline.
    private func startReadTimer(_ context: ChannelHandlerContext) {
        guard let (deadline, _) = pendingDeadline else { return }
        if let readTimer, readTimer.at <= deadline { return }
        readTimer?.task.cancel()
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.readTimer = nil
            guard let (deadline, action) = self.pendingDeadline else { return }
            guard deadline <= context.eventLoop.now else { return self.startReadTimer(context) }
            self.pendingDeadline = nil
            action(self, context)
        }
        readTimer = (deadline, task)
    }
}
