import Hummingbird
import NIOCore
import NIOHTTP1

/// An outbound event: a route starts to read the body, for which the client may expect `100 Continue`.
struct BodyReadStarted: Sendable {}

/// Enforces the rules of HTTP/1.1 and the listener's limits for one connection, before a request is processed.
///
/// Refused requests never reach a route. They are answered in the order of the requests, and nothing is read after
/// them.
final class RequestRulesHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private static let healthRoutes: Set<Substring> = ["/healthz", "/readyz"]

    private let limiter: ConnectionLimiter
    private let metrics: ServerMetrics?
    private var ticket: ConnectionLimiter.Ticket?
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
    private var refusal: (problem: ProblemDocument, method: HTTPMethod?)?
    /// True if the rest of the input is ignored.
    private var isDone = false

    init(limiter: ConnectionLimiter, metrics: ServerMetrics?) {
        self.limiter = limiter
        self.metrics = metrics
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        let address = channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
        let ticket = limiter.open(from: address) { channel.close(promise: nil) }
        self.ticket = ticket
        channel.closeFuture.whenComplete { [limiter] _ in limiter.close(ticket) }
        guard ticket.admission != .nothing else { return context.close(promise: nil) }
        context.fireChannelActive()
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            if let problem = problem(with: head) { return refuse(problem, head.method, context) }
            if RequestRules.closesConnection(head) || isForHealth {
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

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // While a body is being read, the route responds to the error.
        guard let error = error as? HTTPParserError, !isReading else { return context.fireErrorCaught(error) }
        if !isDone { refuse(RequestRules.problem(with: error), nil, context) }
    }

    private var isForHealth: Bool { if case .health? = ticket?.admission { true } else { false } }

    private func problem(with head: HTTPRequestHead) -> ProblemDocument? {
        if let problem = RequestRules.problem(with: head) { return problem }
        guard let ticket, case .health(let limit) = ticket.admission else { return nil }
        if Self.healthRoutes.contains(head.uri.prefix { $0 != "?" }) {
            limiter.use(ticket)
            return nil
        }
        limiter.refuse(by: limit)
        return limit.problem
    }

    private func refuse(_ problem: ProblemDocument, _ method: HTTPMethod?, _ context: ChannelHandlerContext) {
        isDone = true
        refusal = (problem, method)
        answerRefusal(context)
    }

    private func answerRefusal(_ context: ChannelHandlerContext) {
        guard unanswered == 0, let (problem, method) = refusal else { return }
        refusal = nil
        let status = problem.type.status.code
        metrics?.request(method: method?.rawValue ?? MetricLabel.other, route: nil, status: status)
        let answer = EncodedProblem(problem, isLast: true, hasBody: method != .HEAD)
        let bytes = answer.encoded(requestID: RequestID().description)
        context.triggerUserOutboundEvent(
            EncodedResponse(bytes: bytes, isLast: true, hasUnreadInput: true),
            promise: nil
        )
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
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

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
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

extension ConnectionLimiter.Limit {
    /// The problem of a request on a connection beyond the limit.
    var problem: ProblemDocument {
        switch self {
        case .address:
            ProblemDocument(
                .rateLimited,
                detail: "This address has too many open connections: close some, or reuse them for several requests.",
                reason: "connections",
                retryAfter: 1
            )
        case .server:
            ProblemDocument(
                .overloaded,
                detail: "The server has reached its maximum number of connections.",
                reason: "connections",
                retryAfter: 1
            )
        }
    }
}
