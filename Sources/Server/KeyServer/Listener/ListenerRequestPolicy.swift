import Hummingbird
import NIOCore
import NIOHTTP1

/// The policy of the key server's listeners: connections beyond a limit are for the health routes only, and refused
/// requests get problem documents.
struct ListenerRequestPolicy: RequestPolicy {
    private static let healthRoutes: Set<Substring> = ["/healthz", "/readyz"]

    private let limiter: ConnectionLimiter
    private let metrics: ServerMetrics?
    private var ticket: ConnectionLimiter.Ticket?

    init(limiter: ConnectionLimiter, metrics: ServerMetrics?) {
        self.limiter = limiter
        self.metrics = metrics
    }

    mutating func open(_ channel: any Channel) -> Bool {
        let address = channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
        let ticket = limiter.open(from: address) { channel.close(promise: nil) }
        self.ticket = ticket
        channel.closeFuture.whenComplete { [limiter] _ in limiter.close(ticket) }
        return ticket.admission != .nothing
    }

    var isForOneRequest: Bool { if case .health? = ticket?.admission { true } else { false } }

    func refusal(of head: HTTPRequestHead) -> ProblemDocument? {
        guard let ticket, case .health(let limit) = ticket.admission else { return nil }
        if Self.healthRoutes.contains(head.uri.prefix { $0 != "?" }) {
            limiter.use(ticket)
            return nil
        }
        limiter.refuse(by: limit)
        return limit.problem
    }

    func refusal(for problem: RequestRules.Problem) -> ProblemDocument {
        switch problem {
        case .malformed(let detail): ProblemDocument(.malformedRequest, detail: detail)
        case .unsupportedTransferCoding:
            ProblemDocument(.unsupportedTransferCoding, detail: "Only the transfer coding chunked is supported.")
        }
    }

    func response(to problem: ProblemDocument, method: HTTPMethod?) -> ByteBuffer {
        let status = problem.type.status.code
        metrics?.request(method: method?.rawValue ?? MetricLabel.other, route: nil, status: status)
        let answer = EncodedProblem(problem, isLast: true, hasBody: method != .HEAD)
        return answer.encoded(requestID: RequestID().description)
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

extension ConnectionDeadlines {
    /// Creates the handler of one connection, with the deadlines of a listener.
    convenience init(_ limits: ListenerLimits) {
        self.init(
            Limits(
                head: limits.headDeadline,
                body: limits.bodyDeadline,
                idle: limits.idleTimeout,
                write: limits.writeTimeout
            )
        )
    }
}
