/// The time at which a lease is renewed: a pure calculation.
///
/// For a lease of length L, margin M = min(max(`margin` x L, `minimumMargin`), L / 2) and jitter J = `jitter` x (L - M):
///
/// | Lease | Renewal |
/// |---|---|
/// | nil, or not positive | never |
/// | any other | at a random time between L - M - J and L - M after the lease was granted |
///
/// The margin leaves time for retries: the remaining lease is the renewal's deadline. The jitter spreads the renewals
/// of viewers who started together.
public struct LeaseRenewal: Hashable, Sendable {
    /// The margin as a fraction of the lease, 0 to 0.5.
    public var margin: Double
    /// The minimum margin.
    public var minimumMargin: Duration
    /// The jitter as a fraction of the time before the margin, 0 to 1.
    public var jitter: Double

    /// Creates a rule; values outside their ranges are clamped.
    public init(margin: Double = 0.2, minimumMargin: Duration = .seconds(10), jitter: Double = 0.15) {
        self.margin = min(max(margin, 0), 0.5)
        self.minimumMargin = max(minimumMargin, .zero)
        self.jitter = min(max(jitter, 0), 1)
    }

    /// Returns the earliest and latest renewal time, relative to the start of the lease; nil for a lease that does not
    /// expire.
    package func window(of lease: Duration?) -> ClosedRange<Duration>? {
        guard let lease, lease > .zero else { return nil }
        let margin = min(max(lease * self.margin, minimumMargin), lease / 2)
        let latest = lease - margin
        return (latest - latest * jitter)...latest
    }

    /// Returns the renewal time, relative to the start of the lease; nil means never.
    package func moment(for lease: Duration?, using random: inout some RandomNumberGenerator) -> Duration? {
        guard let window = window(of: lease) else { return nil }
        return window.lowerBound + (window.upperBound - window.lowerBound).random(using: &random)
    }
}
