package import FPSCrypto

/// The configuration of the operator's webhook.
package struct WebhookConfiguration: Sendable {
    /// The URL of the service.
    package var url: OutgoingURL
    /// The secret that signs requests, at least 32 bytes; nil means unsigned requests.
    package var secret: SecretBytes?
    /// True if a policy in the response may be less strict than the content's.
    package var allowPolicyOverride: Bool
    /// True if requests without a token are sent to the service too; otherwise they are refused immediately.
    package var allowMissingToken: Bool
    /// The timeout of one request.
    package var timeout = Duration.seconds(2)
    /// The time limit for all tries together.
    package var budget = Duration.seconds(5)
    /// The number of retries: 0 to 2.
    package var retries = 2
    /// The maximum delay before the first retry; it doubles for each further retry. The actual delay is random, between
    /// half of it and all of it.
    package var retryDelay = Duration.milliseconds(200)
    /// The maximum number of concurrent requests; further requests are refused as overloaded.
    package var maximumInFlight = 256
    /// The number of consecutive failures that open the circuit breaker.
    package var failuresToOpen = 5
    /// The time for which the circuit breaker stays open.
    package var openDuration = Duration.seconds(10)

    /// Creates a configuration.
    package init(
        url: OutgoingURL,
        secret: SecretBytes? = nil,
        allowPolicyOverride: Bool = false,
        allowMissingToken: Bool = false
    ) {
        self.url = url
        self.secret = secret
        self.allowPolicyOverride = allowPolicyOverride
        self.allowMissingToken = allowMissingToken
    }

    /// Checks the bounds of the fields.
    func validate() throws(AuthorizationConfigurationError) {
        if let secret, secret.count < 32 {
            throw AuthorizationConfigurationError("the webhook's secret has fewer than 32 bytes")
        }
        guard (.milliseconds(1) ... .seconds(30)).contains(timeout), (timeout ... .seconds(60)).contains(budget) else {
            throw AuthorizationConfigurationError("the webhook's timeout must be at most 30 seconds, its budget 60")
        }
        guard (0...2).contains(retries), maximumInFlight > 0, failuresToOpen > 0 else {
            throw AuthorizationConfigurationError("the webhook's retries must be 0 to 2, its other limits at least 1")
        }
    }
}
