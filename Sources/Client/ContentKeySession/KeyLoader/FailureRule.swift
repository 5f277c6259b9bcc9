/// What is done about a kind of failure.
public struct FailureRule: Hashable, Sendable {
    /// What has to change before the next attempt.
    public enum Remedy: String, Sendable {
        /// There is no next attempt.
        case none
        /// Nothing: the same SPC again, which a server answers like the first time.
        case sameRequest = "same-request"
        /// An SPC that the server has not seen.
        case newSPC = "new-spc"
        /// Another token.
        case newToken = "new-token"
        /// The certificate is fetched again, and a new SPC made for it.
        case newCertificate = "new-certificate"
        /// Each key is asked for on its own.
        case singly
    }

    /// When.
    public enum Pause: String, Sendable {
        /// At once.
        case none
        /// After a back-off with full jitter.
        case backOff = "back-off"
        /// After what `Retry-After` says and a back-off on top, so that not all come back in the same moment.
        case asServerSays = "as-server-says"
    }

    /// What has to change.
    public let remedy: Remedy
    /// When.
    public let pause: Pause
    /// How often this remedy is tried for a request; nil: as long as the deadline lets it.
    public let limit: Int?
    /// What the user, or whoever looks after the app, can do.
    public let advice: String

    /// Whether another attempt may help.
    public var isPassing: Bool { remedy != .none }

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
    /// The table, which docs/key-loader.md repeats; a test holds the two against each other.
    ///
    /// | Kind | Remedy | Pause | At most |
    /// |---|---|---|---|
    /// | `no-connection` | `same-request` | `back-off` | - |
    /// | `no-answer-in-time` | `same-request` | `back-off` | - |
    /// | `answer-too-large` | `none` | `none` | 0 |
    /// | `bad-address` | `none` | `none` | 0 |
    /// | `unreadable-answer` | `same-request` | `back-off` | 2 |
    /// | `unknown-certificate` | `new-certificate` | `none` | 1 |
    /// | `bad-request` | `none` | `none` | 0 |
    /// | `token-refused` | `new-token` | `none` | 1 |
    /// | `forbidden` | `none` | `none` | 0 |
    /// | `unknown-key` | `none` | `none` | 0 |
    /// | `replayed` | `new-spc` | `none` | 1 |
    /// | `no-batch-route` | `singly` | `none` | 1 |
    /// | `too-many-requests` | `same-request` | `as-server-says` | - |
    /// | `server-error` | `same-request` | `back-off` | - |
    /// | `overloaded` | `same-request` | `as-server-says` | - |
    /// | `unexpected-status` | `none` | `none` | 0 |
    /// | `no-token` | `same-request` | `back-off` | 3 |
    /// | `bad-key-uri` | `none` | `none` | 0 |
    /// | `unsupported-key-system` | `none` | `none` | 0 |
    /// | `device-cannot-ask` | `none` | `none` | 0 |
    /// | `device-refuses-answer` | `none` | `none` | 0 |
    /// | `out-of-time` | `none` | `none` | 0 |
    /// | `cancelled` | `none` | `none` | 0 |
    public var rule: FailureRule {
        switch self {
        case .noConnection:
            .passing(.sameRequest, .backOff, "Check the network connection.")
        case .noAnswerInTime:
            .passing(.sameRequest, .backOff, "The network or the server is slow. Try a better connection.")
        case .answerTooLarge:
            .fatal("What answers is no key server. Check the address and the network.")
        case .badAddress:
            .fatal("The address in the app's settings is wrong.")
        case .unreadableAnswer:
            .passing(
                .sameRequest,
                .backOff,
                limit: 2,
                "Something between may answer instead, such as a hotel's login page. Open a web page, then try again."
            )
        case .unknownCertificate:
            .passing(
                .newCertificate,
                .none,
                limit: 1,
                "The server has another certificate now. Nothing, if it helps once."
            )
        case .badRequest:
            .fatal("The server does not understand the request. Check the request's shape; its audit log says more.")
        case .tokenRefused:
            .passing(.newToken, .none, limit: 1, "Sign in again.")
        case .forbidden:
            .fatal("The service does not let this account or device watch. The reason says which rule.")
        case .unknownKey:
            .fatal("The server has no such key. Check that the title is registered, and how key URIs are read.")
        case .replayed:
            .passing(.newSPC, .none, limit: 1, "Nothing: a new request is made.")
        case .noBatchRoute:
            .passing(.singly, .none, limit: 1, "Leave the batch address out of the settings: the server has none.")
        case .tooManyRequests:
            .passing(.sameRequest, .asServerSays, "Wait. If it goes on, too many devices use the account or address.")
        case .serverError:
            .passing(.sameRequest, .backOff, "Try again later; the service has a fault.")
        case .overloaded:
            .passing(.sameRequest, .asServerSays, "Wait; the service is busy.")
        case .unexpectedStatus:
            .fatal("The address leads elsewhere. Check it; redirects are not followed.")
        case .noToken:
            .passing(.sameRequest, .backOff, limit: 3, "Sign in again; the app could not get a token.")
        case .badKeyURI:
            .fatal("The playlist names the key in another way than the app's settings say.")
        case .unsupportedKeySystem:
            .fatal("The app has no way to get keys of this kind.")
        case .deviceCannotAsk:
            .fatal("Update the system; if that does not help, the certificate is not one for FairPlay Streaming.")
        case .deviceRefusesAnswer:
            .fatal("The screen or the device does not fulfill what the key asks for, or the key is another's.")
        case .outOfTime:
            .fatal("It took too long. Check the connection and press play again.")
        case .cancelled:
            .fatal("Nothing: playback was ended.")
        }
    }
}
