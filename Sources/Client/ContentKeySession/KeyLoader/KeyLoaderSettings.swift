/// What an app decides about its key loader.
public struct KeyLoaderSettings: Sendable {
    /// Whether, when and with what a request is tried again.
    public var retry = RetryPolicy()
    /// When a lease is renewed.
    public var renewal = LeaseRenewal()
    /// How long the server's leases are, by the key's identifier; nil leaves that to the session
    /// (``ContentKeyLoading/grantedLease``). The shorter of the two counts.
    public var lease: @Sendable (String) -> Duration? = { _ in nil }
    /// When the next key of a live stream is fetched; nil: keys do not rotate.
    public var rotation: RotationSchedule?
    /// Which key comes next.
    public var prediction = KeyPrediction.trailingNumber
    /// Where keys are kept that may be kept; nil: keys are asked for online each time.
    public var keptKeys: (any KeptKeys)?
    /// How long announced requests are waited for, so that they share a round trip.
    public var gatheringTime: Duration = .milliseconds(50)
    /// How long the certificate is kept.
    public var certificateLifetime: Duration = .seconds(86_400)
    /// How many of the last entries the logs have, each.
    public var logSize = 500

    /// Settings that suit most apps.
    public init() {}
}
