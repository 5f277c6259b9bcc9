import NIOCore
import NIOTLS

/// Closes a connection whose TLS handshake does not end in time, or that uses HTTP/2 and either has no stream for too
/// long, or does not read what was sent.
///
/// Hummingbird sends GOAWAY to an idle connection of HTTP/2, and then waits for the client without a limit. The
/// deadlines of the streams do not notice a client that reads nothing at all: a stream that cannot write waits.
final class ConnectionGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limits: ConnectionLimits
    private var timer: Scheduled<Void>?
    /// The number of open streams.
    private var streams = 0
    /// The time since when there is no stream.
    private var idleSince = NIODeadline.uptimeNanoseconds(0)
    private var isHTTP2 = false
    /// The timer for the client to read, and the time since when there is more to send than is buffered.
    private var stallTimer: Scheduled<Void>?
    private var stalledSince: NIODeadline?
    private var loop: (any EventLoop)?

    init(_ limits: ConnectionLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) {
        loop = context.eventLoop
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: TimeAmount(limits.headDeadline)) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancel() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            timer?.cancel()
            if negotiated == "h2" {
                isHTTP2 = true
                idleSince = context.eventLoop.now
                startIdleTimer(context)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isHTTP2, !context.channel.isWritable {
            stalledSince = context.eventLoop.now
            if stallTimer == nil { startStallTimer(context, from: context.eventLoop.now) }
        } else {
            stalledSince = nil
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    private func cancel() {
        timer?.cancel()
        stallTimer?.cancel()
    }

    /// Counts a stream until ``streamClosed()``.
    func streamOpened() { streams += 1 }

    /// Removes a stream that was counted.
    func streamClosed() {
        streams -= 1
        if streams == 0, let loop { idleSince = loop.now }
    }

    /// Checks once in the longest idle time whether the connection is idle, instead of a timer for each request.
    private func startIdleTimer(_ context: ChannelHandlerContext) {
        // The client has the time of a request head to answer GOAWAY.
        let limit = TimeAmount(limits.idleTimeout + limits.headDeadline)
        let start = streams == 0 ? idleSince : context.eventLoop.now
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(deadline: start + limit) {
            let (handler, context) = bound.value
            if handler.streams == 0, context.eventLoop.now - handler.idleSince >= limit {
                return context.close(promise: nil)
            }
            handler.startIdleTimer(context)
        }
    }

    private func startStallTimer(_ context: ChannelHandlerContext, from start: NIODeadline) {
        let limit = TimeAmount(limits.writeTimeout)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        stallTimer = context.eventLoop.scheduleTask(deadline: start + limit) {
            let (handler, context) = bound.value
            handler.stallTimer = nil
            guard let since = handler.stalledSince else { return }
            if context.eventLoop.now - since >= limit { return context.close(promise: nil) }
            handler.startStallTimer(context, from: since)
        }
    }
}
