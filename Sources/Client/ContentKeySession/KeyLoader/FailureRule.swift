/// The recovery from a kind of failure.
package struct FailureRule: Hashable, Sendable {
    /// The change required before the next attempt.
    package enum Remedy: String, Sendable {
        /// No further attempt.
        case none
        /// No change: the same SPC is sent again, which a server answers as it answers the first time.
        case sameRequest = "same-request"
        /// An SPC that the server has not received.
        case newSPC = "new-spc"
        /// A new token.
        case newToken = "new-token"
        /// A newly fetched certificate, and a new SPC made with it.
        case newCertificate = "new-certificate"
        /// A separate request for each key instead of a batch.
        case separateRequests = "separate-requests"
    }

    /// The delay before the next attempt.
    package enum Pause: String, Sendable {
        /// No delay.
        case none
        /// A backoff with full jitter.
        case backoff
        /// The delay from `Retry-After` plus a backoff, so that clients do not all retry at the same time.
        case retryAfter = "retry-after"
    }

    /// The change required before the next attempt.
    package let remedy: Remedy
    /// The delay before the next attempt.
    package let pause: Pause
    /// The maximum number of times this remedy is tried for a request; nil means until the deadline.
    package let limit: Int?
    /// The advice to the user or to the operator of the app.
    package let advice: String

    /// True if another attempt may succeed.
    package var isTemporary: Bool { remedy != .none }

    fileprivate static func fatal(_ advice: String) -> FailureRule {
        FailureRule(remedy: .none, pause: .none, limit: 0, advice: advice)
    }

    fileprivate static func passing(
        _ remedy: Remedy,
        _ pause: Pause,
        limit: Int? = nil,
        _ advice: String
    ) -> FailureRule {
        FailureRule(remedy: remedy, pause: pause, limit: limit, advice: advice)
    }
}

extension KeyFailure.Kind {
    /// The recovery table, which docs/key-loader.md repeats; a test compares the two.
    ///
    /// | Kind | Remedy | Pause | Limit |
    /// |---|---|---|---|
    /// | `no-connection` | `same-request` | `backoff` | - |
    /// | `timeout` | `same-request` | `backoff` | - |
    /// | `response-too-large` | `none` | `none` | 0 |
    /// | `bad-address` | `none` | `none` | 0 |
    /// | `malformed-response` | `same-request` | `backoff` | 2 |
    /// | `unknown-certificate` | `new-certificate` | `none` | 1 |
    /// | `bad-request` | `none` | `none` | 0 |
    /// | `token-refused` | `new-token` | `none` | 1 |
    /// | `forbidden` | `none` | `none` | 0 |
    /// | `unknown-key` | `none` | `none` | 0 |
    /// | `replayed` | `new-spc` | `none` | 1 |
    /// | `no-batch-route` | `separate-requests` | `none` | 1 |
    /// | `too-many-requests` | `same-request` | `retry-after` | - |
    /// | `server-error` | `same-request` | `backoff` | - |
    /// | `overloaded` | `same-request` | `retry-after` | - |
    /// | `unexpected-status` | `none` | `none` | 0 |
    /// | `no-token` | `same-request` | `backoff` | 3 |
    /// | `bad-key-uri` | `none` | `none` | 0 |
    /// | `unsupported-key-system` | `none` | `none` | 0 |
    /// | `spc-creation-failed` | `none` | `none` | 0 |
    /// | `ckc-rejected` | `none` | `none` | 0 |
    /// | `persistence-refused` | `none` | `none` | 0 |
    /// | `persistence-not-licensed` | `none` | `none` | 0 |
    /// | `key-not-stored` | `none` | `none` | 0 |
    /// | `deadline-exceeded` | `none` | `none` | 0 |
    /// | `cancelled` | `none` | `none` | 0 |
    package var rule: FailureRule {
        switch self {
        case .noConnection:
            .passing(.sameRequest, .backoff, "Check the network connection.")
        case .timeout:
            .passing(.sameRequest, .backoff, "The network or the server is slow. Try a better connection.")
        case .responseTooLarge:
            .fatal("The response is too large to come from a key server. Check the address and the network.")
        case .badAddress:
            .fatal("The address in the app's settings is wrong.")
        case .malformedResponse:
            .passing(
                .sameRequest,
                .backoff,
                limit: 2,
                "Another server may have answered, such as a hotel's login page. Open a web page, then try again."
            )
        case .unknownCertificate:
            .passing(
                .newCertificate,
                .none,
                limit: 1,
                "The server has a new certificate. No action is needed if the next attempt succeeds."
            )
        case .badRequest:
            .fatal("The server cannot parse the request. Check the license request format; see the server's audit log.")
        case .tokenRefused:
            .passing(.newToken, .none, limit: 1, "Sign in again.")
        case .forbidden:
            .fatal("The service does not allow this account or device to watch. The reason names the rule.")
        case .unknownKey:
            .fatal("The server does not have this key. Check that the title is registered and how key URIs are parsed.")
        case .replayed:
            .passing(.newSPC, .none, limit: 1, "No action is needed: a new request is made.")
        case .noBatchRoute:
            .passing(
                .separateRequests,
                .none,
                limit: 1,
                "The server has no batch route. Remove the batch address from the settings."
            )
        case .tooManyRequests:
            .passing(
                .sameRequest,
                .retryAfter,
                "Wait. If this continues, too many devices use the account or the IP address."
            )
        case .serverError:
            .passing(.sameRequest, .backoff, "The service has an internal error. Try again later.")
        case .overloaded:
            .passing(.sameRequest, .retryAfter, "The service is overloaded. Wait.")
        case .unexpectedStatus:
            .fatal("The response is not from a key server. Check the address; redirects are not followed.")
        case .noToken:
            .passing(.sameRequest, .backoff, limit: 3, "The app could not get a token. Sign in again.")
        case .badKeyURI:
            .fatal("The key URI in the playlist does not match the app's settings.")
        case .unsupportedKeySystem:
            .fatal("The app does not support this key system.")
        case .spcCreationFailed:
            .fatal("Check that the certificate URL returns a FairPlay certificate in DER. If it does, update the OS.")
        case .ckcRejected:
            .fatal("The display or the device does not meet the key's requirements, or the key is for another device.")
        case .persistenceRefused:
            .fatal("A key cannot be stored on this route or device. Turn AirPlay off, or disconnect the adapter.")
        case .persistenceNotLicensed:
            .fatal("The license does not allow offline playback. Check the title's policy.")
        case .keyNotStored:
            .fatal("The app could not store the key. Free storage, and check the permissions of the store's folder.")
        case .deadlineExceeded:
            .fatal("The key did not arrive in time. Check the connection and start playback again.")
        case .cancelled:
            .fatal("No action is needed: playback has stopped.")
        }
    }

    /// The advice to the user or to the operator of the app. ``KeyFailure/advice`` is more specific.
    public var advice: String { rule.advice }
}
