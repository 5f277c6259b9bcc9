package import NIOCore
package import NIOHTTP1

/// An outbound event: a route starts to read the body, for which the client may expect `100 Continue`.
package struct BodyReadStarted: Sendable {
    /// Creates the event.
    package init() {}
}

/// The decisions of a server about the requests of one connection of HTTP/1.1, in addition to the rules of the protocol,
/// and its responses to refused requests.
package protocol RequestPolicy {
    /// The reason to refuse a request.
    associatedtype Refusal

    /// Handles the opening of the connection; returns false to close it.
    mutating func open(_ channel: any Channel) -> Bool

    /// True if the connection is closed after the first request.
    var isForOneRequest: Bool { get }

    /// Returns the reason to refuse a request that fulfills the rules; nil if it is passed on.
    func refusal(of head: HTTPRequestHead) -> Refusal?

    /// Returns the reason to refuse a request that breaks the rules.
    func refusal(for problem: RequestRules.Problem) -> Refusal

    /// Returns the encoded response to a refused request, after which the connection is closed. The method is nil if it
    /// is not known.
    func response(to refusal: Refusal, method: HTTPMethod?) -> ByteBuffer
}

/// Enforces the rules of HTTP/1.1 and a server's policy for one connection, before a request is processed.
///
/// Refused requests never reach a route. They are answered in the order of the requests, and nothing is read after
/// them.
package final class RequestRulesHandler<Policy: RequestPolicy>: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    private var policy: Policy
    /// The number of requests that were passed on and whose response is incomplete.
    private var unanswered = 0
    /// True if a request was passed on whose body is incomplete.
    private var isReading = false
    /// True if the client waits for `100 Continue` for that body.
    private var expectsContinue = false
    private var isAnswering = false
    /// The last request of the connection, after it has arrived.
    private var last: HTTPRequestHead?
    /// The refusal to send after earlier requests have been answered, and the method of the refused request, if known.
    private var refusal: (reason: Policy.Refusal, method: HTTPMethod?)?
    /// True if the rest of the input is ignored.
    private var isDone = false

    /// Creates the handler of one connection.
    package init(_ policy: Policy) { self.policy = policy }

    package func channelActive(context: ChannelHandlerContext) {
        guard policy.open(context.channel) else { return context.close(promise: nil) }
        context.fireChannelActive()
    }

    // MARK: Requests

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            let reason = RequestRules.problem(with: head).map(policy.refusal(for:)) ?? policy.refusal(of: head)
            if let reason { return refuse(reason, head.method, context) }
            if RequestRules.closesConnection(head) || policy.isForOneRequest {
                last = head
                // In the form that the following handlers expect.
                head.headers.replaceOrAdd(name: "connection", value: "close")
            }
            isReading = true
            expectsContinue = RequestRules.expectsContinue(head)
            unanswered += 1
            return context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body:
            expectsContinue = false
        case .end:
            isReading = false
            expectsContinue = false
            isDone = last != nil
        }
        context.fireChannelRead(data)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // While a body is being read, the route responds to the error.
        guard let error = error as? HTTPParserError, !isReading else { return context.fireErrorCaught(error) }
        if !isDone { refuse(policy.refusal(for: RequestRules.problem(with: error)), nil, context) }
    }

    private func refuse(_ reason: Policy.Refusal, _ method: HTTPMethod?, _ context: ChannelHandlerContext) {
        isDone = true
        refusal = (reason, method)
        answerRefusal(context)
    }

    private func answerRefusal(_ context: ChannelHandlerContext) {
        guard unanswered == 0, let (reason, method) = refusal else { return }
        refusal = nil
        let bytes = policy.response(to: reason, method: method)
        context.triggerUserOutboundEvent(
            EncodedResponse(bytes: bytes, isLast: true, hasUnreadInput: true),
            promise: nil
        )
    }

    // MARK: Answers

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where (100..<200).contains(head.status.code):
            context.write(data, promise: promise)
        case _ where unanswered == 0:
            // A response of the framework to data after the last response belongs to no request.
            promise?.succeed()
        case .head(var head):
            isAnswering = true
            if unanswered == 1, let last {
                head.headers.replaceOrAdd(name: "connection", value: "close")
                // HTTP/1.0 does not support chunks, which a response of unknown length would use.
                if RequestRules.isHTTP10(last) { head.version = .http1_0 }
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            context.write(data, promise: promise)
            answered(context)
        }
    }

    package func triggerUserOutboundEvent(
        context: ChannelHandlerContext,
        event: Any,
        promise: EventLoopPromise<Void>?
    ) {
        switch event {
        case is BodyReadStarted:
            promise?.succeed()
            guard expectsContinue, !isAnswering, unanswered == 1 else { return }
            expectsContinue = false
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        case is EncodedResponse:
            context.triggerUserOutboundEvent(event, promise: promise)
            answered(context)
        default:
            context.triggerUserOutboundEvent(event, promise: promise)
        }
    }

    private func answered(_ context: ChannelHandlerContext) {
        isAnswering = false
        unanswered -= 1
        answerRefusal(context)
    }
}
