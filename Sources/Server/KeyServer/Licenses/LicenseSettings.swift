package import KeyServerModule

/// The server's settings for licenses, in addition to the terms of a policy.
package struct LicenseSettings: Sendable {
    /// The time after its first answer in which the same request is a retry, in seconds. A retry gets the same CKC and
    /// makes no further claims. Later, the request is a replay. The time must be shorter than ``leaseSkew`` by at least
    /// ``answerTime``, because the device counts the lease from the time at which the response arrives.
    package var retryGrace: Seconds = Seconds(rawValue: 20)
    /// The time for which a stream slot stays occupied after its lease, in seconds, to allow for clock differences and
    /// the transmission of the response.
    package var leaseSkew: Seconds = Seconds(rawValue: 30)
    /// The maximum lease of a key that is loaded before playback, in seconds. It occupies a slot like other leases.
    package var reservation: Seconds = Seconds(rawValue: 120)
    /// The time in which a challenge for a Sync SPC can be used, in seconds.
    package var challengeLifetime: Seconds = Seconds(rawValue: 600)
    /// The time for which a request is stored whose SPC has no creation date, in seconds.
    package var replayWindow: Seconds = Seconds(rawValue: 24 * 3600)
    /// The time for which a risk that a device reported applies to its later requests, in seconds; zero means not at
    /// all.
    package var reportBinding: Seconds = Seconds(rawValue: 24 * 3600)

    /// The maximum time until a response arrives at the device, in seconds.
    package static let answerTime = Seconds(rawValue: 5)

    /// Creates settings with the defaults.
    package init() {}

    /// Creates settings from the configuration.
    package init(_ configuration: ServerConfiguration.Licenses) {
        retryGrace = configuration.retryGrace
        leaseSkew = configuration.leaseSkew
        reservation = configuration.reservation
        reportBinding = configuration.reportBinding
    }
}
