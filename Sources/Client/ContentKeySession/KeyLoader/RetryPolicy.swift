/// A policy for retries of a request: a pure decision without a clock or a wait.
///
/// | Condition, first row that applies | Decision |
/// |---|---|
/// | the failure is fatal | fail |
/// | its remedy was tried as often as its rule allows | fail |
/// | `attempts` attempts were made | fail |
/// | pause `none` | retry at once |
/// | pause `backoff` | retry after a random time up to min(`maximumBackoff`, `initialBackoff` x 2^(attempts - 1)) |
/// | pause `retry-after` | retry after `Retry-After` (0 without the header) plus such a random time |
/// | in each case, if less than `minimumAttemptTime` would be left until the deadline | fail now: `deadline-exceeded` |
///
/// A random delay from the whole range ("full jitter") spreads the retries of clients that failed together.
public struct RetryPolicy: Hashable, Sendable {
    /// The upper bound of the first backoff.
    public var initialBackoff: Duration
    /// The upper bound of every backoff.
    public var maximumBackoff: Duration
    /// The maximum number of attempts for a request, including the first.
    public var attempts: Int
    /// The timeout of one attempt.
    public var attemptTimeout: Duration
    /// The minimum time that must be left for an attempt to be made.
    public var minimumAttemptTime: Duration
    /// The maximum time to load a key that is needed now. It is shorter than the timeouts of players, so that the
    /// reason is reported first.
    public var onDemandDeadline: Duration
    /// The maximum time to load a preloaded key.
    public var preloadDeadline: Duration
    /// The maximum time of a renewal if the end of the lease is not known.
    public var renewalDeadline: Duration

    /// Creates a policy.
    public init(
        initialBackoff: Duration = .milliseconds(500),
        maximumBackoff: Duration = .seconds(8),
        attempts: Int = 8,
        attemptTimeout: Duration = .seconds(8),
        minimumAttemptTime: Duration = .milliseconds(200),
        onDemandDeadline: Duration = .seconds(25),
        preloadDeadline: Duration = .seconds(90),
        renewalDeadline: Duration = .seconds(60)
    ) {
        self.initialBackoff = initialBackoff
        self.maximumBackoff = maximumBackoff
        self.attempts = attempts
        self.attemptTimeout = attemptTimeout
        self.minimumAttemptTime = minimumAttemptTime
        self.onDemandDeadline = onDemandDeadline
        self.preloadDeadline = preloadDeadline
        self.renewalDeadline = renewalDeadline
    }

    /// The next step after a failure.
    package enum Decision: Hashable, Sendable {
        /// The request fails with this failure.
        case fail(KeyFailure)
        /// Another attempt is made.
        case retry(after: Duration, FailureRule.Remedy)
    }

    /// The attempts and failures of a request.
    package struct History: Hashable, Sendable {
        /// The number of attempts.
        package var attempts = 0
        /// The number of failures of each kind.
        package var failures: [KeyFailure.Kind: Int] = [:]

        /// Creates an empty history.
        package init() {}
    }

    /// Returns the next step after a failure.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - history: The attempts and failures, including this one.
    ///   - left: The time until the deadline.
    ///   - random: The random numbers for jitter.
    package func decide(
        _ failure: KeyFailure,
        after history: History,
        left: Duration,
        using random: inout some RandomNumberGenerator
    ) -> Decision {
        let rule = failure.kind.rule
        guard rule.isTemporary, history.failures[failure.kind, default: 0] <= rule.limit ?? .max,
            history.attempts < attempts
        else { return .fail(failure) }
        let pause: Duration =
            switch rule.pause {
            case .none: .zero
            case .backoff: backoff(after: history.attempts, using: &random)
            case .retryAfter: (failure.retryAfter ?? .zero) + backoff(after: history.attempts, using: &random)
            }
        guard pause + minimumAttemptTime <= left else {
            return .fail(.deadlineExceeded(after: failure))
        }
        return .retry(after: pause, rule.remedy)
    }

    /// Returns the upper bound of the backoff after a number of attempts.
    package func backoffRange(after attempts: Int) -> Duration {
        // After 20 doublings, every practical range has reached its maximum.
        min(maximumBackoff, initialBackoff * (1 << min(max(attempts - 1, 0), 20)))
    }

    private func backoff(after attempts: Int, using random: inout some RandomNumberGenerator) -> Duration {
        backoffRange(after: attempts).random(using: &random)
    }

    /// Returns the timeout of the next attempt.
    package func timeout(left: Duration) -> Duration { max(.zero, min(attemptTimeout, left)) }
}
