package import FPSCrypto

/// How the operator's service is asked.
package struct WebhookConfiguration: Sendable {
    /// Where.
    package var url: OutgoingURL
    /// Signs the questions, 32 bytes or more; nil leaves them unsigned.
    package var secret: SecretBytes?
    /// Whether a policy that the answer names may be looser than the content's.
    package var mayLoosen: Bool
    /// Whether requests without a token are put to the service as well. Without this they are refused unasked.
    package var asksWithoutToken: Bool
    /// How long one answer may take.
    package var timeout = Duration.seconds(2)
    /// How long all tries together may take.
    package var budget = Duration.seconds(5)
    /// How often the same question is asked again: 0 to 2.
    package var retries = 2
    /// The longest wait before the first retry; each further one may be twice as long. The real one is drawn from half
    /// of it to all of it.
    package var retryDelay = Duration.milliseconds(200)
    /// Questions at once; one more is answered that the server is busy.
    package var maximumInFlight = 256
    /// Failures in a row after which the service is left alone for a while.
    package var failuresToOpen = 5
    /// For how long it is left alone.
    package var openFor = Duration.seconds(10)

    /// Names a service.
    package init(
        url: OutgoingURL,
        secret: SecretBytes? = nil,
        mayLoosen: Bool = false,
        asksWithoutToken: Bool = false
    ) {
        self.url = url
        self.secret = secret
        self.mayLoosen = mayLoosen
        self.asksWithoutToken = asksWithoutToken
    }

    /// Holds the fields to their bounds.
    func validate() throws(AuthorizationConfigurationError) {
        if let secret, secret.count < 32 {
            throw AuthorizationConfigurationError("the webhook's secret has fewer than 32 bytes")
        }
        guard (.milliseconds(1) ... .seconds(30)).contains(timeout), (timeout ... .seconds(60)).contains(budget) else {
            throw AuthorizationConfigurationError("the webhook's timeout is at most 30 seconds, its budget 60")
        }
        guard (0...2).contains(retries), maximumInFlight > 0, failuresToOpen > 0 else {
            throw AuthorizationConfigurationError("the webhook's retries are 0 to 2, its other limits at least 1")
        }
    }
}
