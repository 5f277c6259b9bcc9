import HTTPRequests
package import Logging
import Synchronization
import TextCoding

/// Authorizes requests by sending them to the operator's service.
///
/// It fails closed: only status 200 with a completely valid response is a permission. A refusal is `{"allow": false}`,
/// or status 401 or 403. Everything else results in ``ProblemType/unavailable``.
///
/// Only failures of the service itself open its circuit breaker. If it cannot decide one request, which any client
/// could send, only that request is refused.
package final class WebhookAuthorizer: PlaybackAuthorizer {
    /// The maximum size of a response, in bytes.
    static let maximumResponseSize = 64 * 1024

    private struct State {
        var breaker: CircuitBreaker
        var inFlight = 0
    }

    /// The result of one try.
    private enum TryResult {
        case answer(WebhookResponse)
        case status(Int)
        /// The service responded, but the response contains no decision.
        case undecided(String)
        /// The service failed: no connection, a timeout, an incomplete response, or a status of 500 or more.
        case failure(String, mayRetry: Bool)
        case cancelled

        /// The outcome in the metrics.
        var outcome: ServerMetrics.WebhookOutcome {
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

    /// Creates an authorizer.
    ///
    /// - Parameters:
    ///   - metrics: The metrics for requests to the service.
    ///   - clock: Returns the time of a monotonic clock in milliseconds, for the circuit breaker.
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
        let pause = Int64(configuration.openDuration / .milliseconds(1))
        state = Mutex(State(breaker: .init(limits: .init(failures: configuration.failuresToOpen, pause: pause))))
    }

    /// The current state of the circuit breaker.
    package var condition: AuthorizerCondition {
        let (state, now) = (state.withLock { $0.breaker.state }, clock())
        var condition = AuthorizerCondition()
        condition.breaker =
            switch state {
            case .closed: .closed
            case .open(let end) where now < end: .open
            // The next request is sent and determines the state.
            case .open, .probing: .halfOpen
            }
        return condition
    }

    /// True: the service gets what the device reports, and the asset ID in the SPC.
    package var needsSPC: Bool { true }

    /// Checks that there is a token if one is required, and its size.
    package func precheck(_ request: PlaybackRequest) throws(ProblemDocument) { _ = try token(of: request) }

    private func token(of request: PlaybackRequest) throws(ProblemDocument) -> String? {
        let token = request.token.flatMap { $0.isEmpty ? nil : $0 }
        guard token != nil || configuration.allowMissingToken else { throw ProblemDocument(.tokenMissing) }
        guard (token?.utf8.count ?? 0) <= CompactToken.maximumSize else {
            throw ProblemDocument.malformedToken("The token must have at most \(CompactToken.maximumSize) bytes.")
        }
        return token
    }

    /// Sends the request to the service, and checks the response for the request.
    package func authorize(_ request: PlaybackRequest) async throws -> PlaybackAuthorization {
        let token = try token(of: request)
        let ticket = try acquireTicket()
        defer { state.withLock { $0.inFlight -= 1 } }
        let attempt = await send(requestBody(request, token), request)
        report(attempt, ticket)
        switch attempt {
        case .answer(.allow(let authorization)):
            try authorization.require(fits: request, skew: 0)
            return authorization
        case .answer(.deny(let reason)):
            // The client gets the first 50 characters; the audit log contains the whole reason.
            let short = reason.map { String($0.unicodeScalars.prefix(50)) }
            throw ProblemDocument(.forbidden, reason: short, auditDetail: "webhook: \(reason ?? "no reason given")")
        case .status(401):
            throw ProblemDocument(.unauthorized, auditDetail: "webhook: status 401")
        case .status(let status):
            throw ProblemDocument(.forbidden, auditDetail: "webhook: status \(status)")
        case .failure(let reason, _), .undecided(let reason):
            logger.warning("The webhook \(configuration.url) made no decision: \(reason)")
            throw ProblemDocument(.unavailable, retryAfter: 1, auditDetail: "webhook: \(reason)")
        case .cancelled:
            throw ProblemDocument(.unavailable, retryAfter: 1, auditDetail: "webhook: the request was cancelled")
        }
    }

    private func acquireTicket() throws(ProblemDocument) -> CircuitBreaker.Ticket {
        let now = clock()
        return try state.withLock { state throws(ProblemDocument) in
            guard state.inFlight < configuration.maximumInFlight else {
                throw ProblemDocument(.overloaded, retryAfter: 1, auditDetail: "webhook: too many concurrent requests")
            }
            switch state.breaker.admit(at: now) {
            case .send(let ticket):
                state.inFlight += 1
                return ticket
            case .refuse(let milliseconds):
                throw ProblemDocument(
                    .unavailable,
                    retryAfter: Int((milliseconds + 999) / 1_000),
                    auditDetail: "webhook: the circuit breaker is open after failures"
                )
            }
        }
    }

    private func report(_ attempt: TryResult, _ ticket: CircuitBreaker.Ticket) {
        let now = clock()
        state.withLock { state in
            switch attempt {
            case .answer, .status, .undecided: state.breaker.succeed(ticket)
            case .failure: state.breaker.fail(ticket, at: now)
            case .cancelled: state.breaker.cancel(ticket, at: now)
            }
        }
    }

    private func requestBody(_ request: PlaybackRequest, _ token: String?) -> [UInt8] {
        JSONValue.fields([
            ("token", token.map { .string($0) }),
            ("assetId", request.assetID.flatMap { String(validating: $0, as: UTF8.self) }.map { .string($0) }),
            ("remoteAddress", request.facts.remoteAddress.map { .string($0) }),
            ("requestId", .string(request.facts.requestID)),
            ("device", request.device?.json),
            (
                "fields",
                request.fields.isEmpty
                    ? nil : .fields(request.fields.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
            ),
        ]).encoded
    }

    /// Sends the request, with retries, until there is a response or the time has passed.
    private func send(_ body: [UInt8], _ request: PlaybackRequest) async -> TryResult {
        let end = ContinuousClock.now + configuration.budget
        let signature = configuration.secret.map { WebhookSignature.value(body: body, time: request.now, secret: $0) }
        let trace = (request.facts.trace ?? TraceContext()).traceparent
        var delay = configuration.retryDelay
        for retriesLeft in stride(from: configuration.retries, through: 0, by: -1) {
            let timeout = min(configuration.timeout, ContinuousClock.now.duration(to: end))
            let start = ContinuousClock.now
            let attempt = await attempt(body, signature, trace, timeout)
            metrics?.webhook(attempt.outcome, took: ContinuousClock.now - start)
            guard case .failure(_, mayRetry: true) = attempt, retriesLeft > 0 else { return attempt }
            let pause = delay * Double.random(in: 0.5...1)
            guard ContinuousClock.now + pause < end else { return attempt }
            guard (try? await Task.sleep(for: pause)) != nil else { return .cancelled }
            delay *= 2
        }
        return .failure("no request was sent", mayRetry: false)
    }

    private func attempt(
        _ body: [UInt8],
        _ signature: String?,
        _ trace: String,
        _ timeout: Duration
    ) async -> TryResult {
        let answer: BoundedHTTP.Answer
        do throws(BoundedHTTP.Failure) {
            answer = try await http.post(
                body,
                signature: signature,
                traceparent: trace,
                to: configuration.url,
                limit: Self.maximumResponseSize,
                timeout: timeout
            )
        } catch {
            switch error.code {
            case .cancelled: return .cancelled
            case .tooLarge: return .undecided("the response has more than \(Self.maximumResponseSize) bytes")
            default: return .failure("\(error)", mayRetry: error.code == .noConnection)
            }
        }
        switch answer.status {
        case 200:
            do throws(WebhookResponse.FormatError) {
                return .answer(
                    try WebhookResponse(json: answer.body, allowPolicyOverride: configuration.allowPolicyOverride)
                )
            } catch {
                return .undecided("the response is not valid: \(error.description)")
            }
        case 401, 403: return .status(answer.status)
        case 500...: return .failure("status \(answer.status)", mayRetry: (502...504).contains(answer.status))
        default: return .undecided("status \(answer.status)")
        }
    }
}
