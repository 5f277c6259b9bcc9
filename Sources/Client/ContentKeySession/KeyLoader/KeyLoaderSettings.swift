/// The settings of a key loader.
public struct KeyLoaderSettings: Sendable {
    /// The policy for retries of a request.
    public var retry = RetryPolicy()
    /// The time at which a lease is renewed.
    public var renewal = LeaseRenewal()
    /// The lease duration of the server's keys by key identifier; nil uses the session's value
    /// (``ContentKeyLoading/grantedLease``). The shorter of the two applies.
    public var lease: @Sendable (String) -> Duration? = { _ in nil }
    /// The time at which the next key of a live stream is fetched; nil means that keys do not rotate.
    public var rotation: RotationSchedule?
    /// The rule that predicts the next key.
    public var prediction = KeyPrediction.trailingNumber
    /// The store of persistent keys; nil means that keys are requested online each time.
    public var persistentKeys: (any PersistentKeyStore)?
    /// True if a request for a persistable key fails when its key cannot be persistent or cannot be stored, as for a
    /// download; false if it gets a key for this session. The failure is ``KeyFailure/Kind/persistenceRefused``,
    /// ``KeyFailure/Kind/persistenceNotLicensed`` or ``KeyFailure/Kind/keyNotStored``.
    public var requiresPersistence = false
    /// The time to wait for announced requests, so that they share a round trip.
    public var gatheringTime: Duration = .milliseconds(50)
    /// True if an announced request waits for the others even if its key is needed now: a download needs all its keys
    /// before it continues.
    package var gathersAwaitedKeys = false
    /// The time for which the certificate is cached.
    public var certificateLifetime: Duration = .seconds(86_400)
    /// The number of latest entries that each log contains at least. A log never has more than twice as many.
    public var logSize = 500

    /// Creates settings that suit most apps.
    public init() {}
}
