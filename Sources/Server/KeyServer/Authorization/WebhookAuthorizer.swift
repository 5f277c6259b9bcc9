import HTTPRequests
package import Logging
import Synchronization
import TextCoding

/// Authorizes requests by asking the operator's own service.
///
/// It fails closed: only status 200 with an answer that is understood to the last field gives a permission. A no is
/// `{"allow": false}`, or status 401 or 403. Everything else is ``ProblemType/unavailable``.
///
/// Only what shows that the service itself is in trouble opens its circuit breaker. What it cannot decide about one request,
/// which may be anybody's, is refused to that one alone.
package final class WebhookAuthorizer: PlaybackAuthorizer {
    /// The largest answer, in bytes.
    static let maximumAnswer = 64 * 1024

    private struct State {
        var breaker: CircuitBreaker
        var inFlight = 0
    }

    /// How one try ended.
    private enum Attempt {
        case answer(WebhookAnswer)
        case status(Int)
        /// It answered, and not so that anything is decided.
        case undecided(String)
        /// It is in trouble: no connection, no answer in time, one that broke off, or a status of 500 or more.
        case failure(String, mayRetry: Bool)
        case cancelled

        /// How the metrics call it.
        var end: ServerMetrics.WebhookEnd {
            switch self {
            case .answer, .status: .decided
            case .undecided: .undecided
            case .failure: .failed
            case .cancelled: .cancelled
            }
        }
    }

    private let configuration: WebhookConfiguration
    private let http: OutgoingHTTP
    private let logger: Logger
    private let metrics: ServerMetrics?
    private let clock: @Sendable () -> Int64
    private let state: Mutex<State>

    /// Makes an authorizer.
    ///
    /// - Parameters:
    ///   - metrics: Where questions are measured.
    ///   - clock: Milliseconds since any one moment, for the circuit breaker.
    /// - Throws: ``AuthorizationConfigurationError``.
    package init(
        _ configuration: WebhookConfiguration,
        http: OutgoingHTTP = .shared,
        logger: Logger,
        metrics: ServerMetrics? = nil,
        clock: @escaping @Sendable () -> Int64 = monotonicMilliseconds
    ) throws(AuthorizationConfigurationError) {
        try configuration.validate()
        self.configuration = configuration
        self.http = http
        self.logger = logger
        self.metrics = metrics
        self.clock = clock
        let pause = Int64(configuration.openFor / .milliseconds(1))
        state = Mutex(State(breaker: .init(limits: .init(failures: configuration.failuresToOpen, pause: pause))))
    }

    /// Whether the service is asked at the moment.
    package var condition: AuthorizerCondition {
        let (state, now) = (state.withLock { $0.breaker.state }, clock())
        var condition = AuthorizerCondition()
        condition.breaker =
            switch state {
            case .closed: .closed
            case .open(let end) where now < end: .open
            // The next question finds out.
            case .open, .probing: .halfOpen
            }
        return condition
    }

    /// Asks the service, and holds its answer against the request.
    package func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        let token = request.token.flatMap { $0.isEmpty ? nil : $0 }
        guard token != nil || configuration.asksWithoutToken else { throw ProblemDocument(.tokenMissing) }
        guard (token?.utf8.count ?? 0) <= CompactToken.maximumSize else {
            throw ProblemDocument.malformedToken("A token has at most \(CompactToken.maximumSize) bytes.")
        }
        let ticket = try begin()
        defer { state.withLock { $0.inFlight -= 1 } }
        let attempt = await ask(question(request, token), request)
        report(attempt, ticket)
        switch attempt {
        case .answer(.allow(let authorization)):
            try authorization.require(fits: request, skew: 0)
            return authorization
        case .answer(.deny(let reason)):
            // The client gets its beginning; the audit log all of it.
            let short = reason.map { String($0.unicodeScalars.prefix(50)) }
            throw ProblemDocument(.forbidden, reason: short, auditDetail: "webhook: \(reason ?? "no reason given")")
        case .status(401):
            throw ProblemDocument(.unauthorized, auditDetail: "webhook: status 401")
        case .status(let status):
            throw ProblemDocument(.forbidden, auditDetail: "webhook: status \(status)")
        case .failure(let reason, _), .undecided(let reason):
            logger.warning("The webhook \(configuration.url) did not decide: \(reason)")
            throw ProblemDocument(.unavailable, retryAfter: 1, auditDetail: "webhook: \(reason)")
        case .cancelled:
            throw ProblemDocument(.unavailable, retryAfter: 1, auditDetail: "webhook: nobody waited for the answer")
        }
    }

    private func begin() throws(ProblemDocument) -> CircuitBreaker.Ticket {
        let now = clock()
        return try state.withLock { state throws(ProblemDocument) in
            guard state.inFlight < configuration.maximumInFlight else {
                throw ProblemDocument(.overloaded, retryAfter: 1, auditDetail: "webhook: too many questions at once")
            }
            switch state.breaker.admit(at: now) {
            case .ask(let ticket):
                state.inFlight += 1
                return ticket
            case .refuse(let milliseconds):
                throw ProblemDocument(
                    .unavailable,
                    retryAfter: Int((milliseconds + 999) / 1_000),
                    auditDetail: "webhook: left alone after failures"
                )
            }
        }
    }

    private func report(_ attempt: Attempt, _ ticket: CircuitBreaker.Ticket) {
        let now = clock()
        state.withLock { state in
            switch attempt {
            case .answer, .status, .undecided: state.breaker.succeed(ticket)
            case .failure: state.breaker.fail(ticket, at: now)
            case .cancelled: state.breaker.abandon(ticket, at: now)
            }
        }
    }

    private func question(_ request: PlaybackRequest, _ token: String?) -> [UInt8] {
        JSONValue.fields([
            ("token", token.map { .string($0) }),
            ("assetId", request.assetID.flatMap { String(validating: $0, as: UTF8.self) }.map { .string($0) }),
            ("remoteAddress", request.address.map { .string($0.description) }),
            ("requestId", .string(request.requestID)),
        ]).encoded
    }

    /// Asks, again if need be, until there is an answer or no time is left.
    private func ask(_ body: [UInt8], _ request: PlaybackRequest) async -> Attempt {
        let end = ContinuousClock.now + configuration.budget
        let signature = configuration.secret.map { WebhookSignature.value(body: body, time: request.now, secret: $0) }
        let trace = (request.trace ?? TraceContext()).traceparent
        var delay = configuration.retryDelay
        for retriesLeft in stride(from: configuration.retries, through: 0, by: -1) {
            let timeout = min(configuration.timeout, ContinuousClock.now.duration(to: end))
            let start = ContinuousClock.now
            let attempt = await attempt(body, signature, trace, timeout)
            metrics?.webhook(attempt.end, took: ContinuousClock.now - start)
            guard case .failure(_, mayRetry: true) = attempt, retriesLeft > 0 else { return attempt }
            let pause = delay * Double.random(in: 0.5...1)
            guard ContinuousClock.now + pause < end else { return attempt }
            guard (try? await Task.sleep(for: pause)) != nil else { return .cancelled }
            delay *= 2
        }
        return .failure("no try was made", mayRetry: false)
    }

    private func attempt(
        _ body: [UInt8],
        _ signature: String?,
        _ trace: String,
        _ timeout: Duration
    ) async -> Attempt {
        let answer: BoundedHTTP.Answer
        do throws(BoundedHTTP.Failure) {
            answer = try await http.post(
                body,
                signature: signature,
                traceparent: trace,
                to: configuration.url,
                limit: Self.maximumAnswer,
                timeout: timeout
            )
        } catch {
            switch error.code {
            case .cancelled: return .cancelled
            case .tooLarge: return .undecided("the answer has more than \(Self.maximumAnswer) bytes")
            default: return .failure("\(error)", mayRetry: error.code == .noConnection)
            }
        }
        switch answer.status {
        case 200:
            do throws(WebhookAnswer.Fault) {
                return .answer(try WebhookAnswer(json: answer.body, mayLoosen: configuration.mayLoosen))
            } catch {
                return .undecided("the answer cannot be understood: \(error.description)")
            }
        case 401, 403: return .status(answer.status)
        case 500...: return .failure("status \(answer.status)", mayRetry: (502...504).contains(answer.status))
        default: return .undecided("status \(answer.status)")
        }
    }
}
