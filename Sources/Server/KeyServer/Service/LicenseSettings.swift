package import KeyServerModule

/// What the server adds to the terms of a policy.
package struct LicenseSettings: Sendable {
    /// How long after its first answer the same request is a retry, in seconds: it gets the same CKC again, and takes
    /// nothing a second time. Later it is a replay. Shorter than ``leaseSkew`` by ``answerTime`` at least: the device
    /// counts the lease from the answer that reaches it.
    package var retryGrace: Seconds = Seconds(rawValue: 20)
    /// How much longer than its lease a key counts, in seconds: clocks differ, and an answer takes its time.
    package var leaseSkew: Seconds = Seconds(rawValue: 30)
    /// The longest lease of a key that is loaded before playback, in seconds. It holds a slot like any other.
    package var reservation: Seconds = Seconds(rawValue: 120)
    /// How long a challenge for a Sync SPC may be used, in seconds.
    package var challengeLifetime: Seconds = Seconds(rawValue: 600)
    /// How long a request is remembered whose SPC does not say when it was made, in seconds.
    package var replayWindow: Seconds = Seconds(rawValue: 24 * 3600)
    /// How long what a device reports against itself binds its later requests, in seconds; zero for not at all.
    package var reportBinding: Seconds = Seconds(rawValue: 24 * 3600)

    /// How long an answer may be on its way to the device, in seconds.
    package static let answerTime = Seconds(rawValue: 5)

    /// The defaults.
    package init() {}

    /// Takes what the configuration says.
    package init(_ configuration: ServerConfiguration.Licenses) {
        retryGrace = configuration.retryGrace
        leaseSkew = configuration.leaseSkew
        reservation = configuration.reservation
        reportBinding = configuration.reportBinding
    }
}
