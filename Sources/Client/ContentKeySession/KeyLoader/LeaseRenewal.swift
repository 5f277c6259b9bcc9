/// When a lease is renewed. A decision and nothing else.
///
/// For a lease of length L, margin M = min(max(`share` x L, `least`), L / 2) and jitter J = `jitter` x (L - M):
///
/// | Lease | Renewed |
/// |---|---|
/// | none, or not positive | never |
/// | any other | at a random moment between L - M - J and L - M after it was given |
///
/// The margin is for retries: what is left of the lease is the renewal's deadline. The jitter keeps viewers that began
/// together from coming back together.
public struct LeaseRenewal: Hashable, Sendable {
    /// The margin's part of the lease, 0 to 0.5.
    public var share: Double
    /// The least margin.
    public var least: Duration
    /// The jitter's part of what is before the margin, 0 to 1.
    public var jitter: Double

    /// Makes a rule; numbers beyond their bounds are brought within.
    public init(share: Double = 0.2, least: Duration = .seconds(10), jitter: Double = 0.15) {
        self.share = min(max(share, 0), 0.5)
        self.least = max(least, .zero)
        self.jitter = min(max(jitter, 0), 1)
    }

    /// The earliest and the latest moment, counted from when the lease was given; nil for a lease that never ends.
    public func window(of lease: Duration?) -> ClosedRange<Duration>? {
        guard let lease, lease > .zero else { return nil }
        let margin = min(max(lease * share, least), lease / 2)
        let latest = lease - margin
        return (latest - latest * jitter)...latest
    }

    /// When to renew, counted from when the lease was given; nil: never.
    public func moment(for lease: Duration?, using random: inout some RandomNumberGenerator) -> Duration? {
        guard let window = window(of: lease) else { return nil }
        return window.lowerBound + (window.upperBound - window.lowerBound).random(using: &random)
    }
}
