/// Whether, when and with what a request is tried again. A decision and nothing else: no clock, no waiting.
///
/// | What is so, first row that fits | Decision |
/// |---|---|
/// | the failure is fatal | give up |
/// | its remedy was tried as often as its rule allows | give up |
/// | `attempts` attempts were made | give up |
/// | pause `none` | again at once |
/// | pause `back-off` | after a time between 0 and min(`longest`, `first` x 2^(attempts - 1)) |
/// | pause `as-server-says` | after `Retry-After` (0 without one) and such a time on top |
/// | in each case, when less than `leastForAnAttempt` would be left before the deadline | out of time, at once |
///
/// A random pause out of the whole range ("full jitter") spreads clients that failed together best.
public struct RetryPolicy: Hashable, Sendable {
    /// The range of the first back-off.
    public var first: Duration
    /// The longest range of a back-off.
    public var longest: Duration
    /// How many attempts a request has, the first one included.
    public var attempts: Int
    /// How long one attempt may take.
    public var attemptTimeout: Duration
    /// How long an attempt has to have at least, to be made.
    public var leastForAnAttempt: Duration
    /// How long a key that somebody waits for may take altogether. Players time out; better to say why before they do.
    public var onDemandDeadline: Duration
    /// How long a preloaded key may take altogether.
    public var preloadDeadline: Duration
    /// How long a renewal may take altogether, where the end of the lease is not known.
    public var renewalDeadline: Duration

    /// Makes a policy.
    public init(
        first: Duration = .milliseconds(500),
        longest: Duration = .seconds(8),
        attempts: Int = 8,
        attemptTimeout: Duration = .seconds(8),
        leastForAnAttempt: Duration = .milliseconds(200),
        onDemandDeadline: Duration = .seconds(25),
        preloadDeadline: Duration = .seconds(90),
        renewalDeadline: Duration = .seconds(60)
    ) {
        self.first = first
        self.longest = longest
        self.attempts = attempts
        self.attemptTimeout = attemptTimeout
        self.leastForAnAttempt = leastForAnAttempt
        self.onDemandDeadline = onDemandDeadline
        self.preloadDeadline = preloadDeadline
        self.renewalDeadline = renewalDeadline
    }

    /// What is done next.
    public enum Decision: Hashable, Sendable {
        /// Nothing more, for this reason.
        case giveUp(KeyFailure)
        /// Another attempt.
        case retry(after: Duration, FailureRule.Remedy)
    }

    /// What a request has been through.
    public struct History: Hashable, Sendable {
        /// How many attempts were made.
        public var attempts = 0
        /// How often each kind of failure happened.
        public var failures: [KeyFailure.Kind: Int] = [:]

        /// Nothing yet.
        public init() {}
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - failure: What went wrong.
    ///   - history: With the failure counted in it.
    ///   - left: How long it is until the deadline.
    public func decide(
        _ failure: KeyFailure,
        after history: History,
        left: Duration,
        using random: inout some RandomNumberGenerator
    ) -> Decision {
        let rule = failure.kind.rule
        guard rule.isPassing, history.failures[failure.kind, default: 0] <= rule.limit ?? .max,
            history.attempts < attempts
        else { return .giveUp(failure) }
        let pause: Duration =
            switch rule.pause {
            case .none: .zero
            case .backOff: backOff(after: history.attempts, using: &random)
            case .asServerSays: (failure.retryAfter ?? .zero) + backOff(after: history.attempts, using: &random)
            }
        guard pause + leastForAnAttempt <= left else {
            return .giveUp(.outOfTime(after: failure))
        }
        return .retry(after: pause, rule.remedy)
    }

    /// The longest pause after that many attempts.
    public func backOffRange(after attempts: Int) -> Duration {
        // Beyond 20 doublings every sensible range is at its longest.
        min(longest, first * (1 << min(max(attempts - 1, 0), 20)))
    }

    private func backOff(after attempts: Int, using random: inout some RandomNumberGenerator) -> Duration {
        backOffRange(after: attempts).random(using: &random)
    }

    /// How long the next attempt may take.
    public func timeout(left: Duration) -> Duration { max(.zero, min(attemptTimeout, left)) }
}
