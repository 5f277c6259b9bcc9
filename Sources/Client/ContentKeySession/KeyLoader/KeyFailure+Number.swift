extension KeyFailure {
    /// The number of the failure in an `NSError`; never 0.
    ///
    /// AVFoundation reports the domain and the number of an error that an app passes to it to the player, and an error with
    /// number 0 looks like success. The number is the HTTP status if there is one, which is 100 or greater, and otherwise
    /// ``Kind/number``, which is less than 100.
    public var number: Int {
        if let status, status >= 100 { return status }
        return kind.number
    }
}

extension KeyFailure.Kind {
    /// The number of the kind of failure, from 1 to 99. It never changes, so it can be used in statistics:
    ///
    /// | Number | Kind | Number | Kind | Number | Kind |
    /// |---|---|---|---|---|---|
    /// | 1 | `no-connection` | 9 | `forbidden` | 17 | `no-token` |
    /// | 2 | `timeout` | 10 | `unknown-key` | 18 | `bad-key-uri` |
    /// | 3 | `response-too-large` | 11 | `replayed` | 19 | `unsupported-key-system` |
    /// | 4 | `bad-address` | 12 | `no-batch-route` | 20 | `spc-creation-failed` |
    /// | 5 | `malformed-response` | 13 | `too-many-requests` | 21 | `ckc-rejected` |
    /// | 6 | `unknown-certificate` | 14 | `server-error` | 22 | `deadline-exceeded` |
    /// | 7 | `bad-request` | 15 | `overloaded` | 23 | `cancelled` |
    /// | 8 | `token-refused` | 16 | `unexpected-status` | 24 | `persistence-refused` |
    /// | 25 | `persistence-not-licensed` | 26 | `key-not-stored` | | |
    public var number: Int {
        switch self {
        case .noConnection: 1
        case .timeout: 2
        case .responseTooLarge: 3
        case .badAddress: 4
        case .malformedResponse: 5
        case .unknownCertificate: 6
        case .badRequest: 7
        case .tokenRefused: 8
        case .forbidden: 9
        case .unknownKey: 10
        case .replayed: 11
        case .noBatchRoute: 12
        case .tooManyRequests: 13
        case .serverError: 14
        case .overloaded: 15
        case .unexpectedStatus: 16
        case .noToken: 17
        case .badKeyURI: 18
        case .unsupportedKeySystem: 19
        case .spcCreationFailed: 20
        case .ckcRejected: 21
        case .deadlineExceeded: 22
        case .cancelled: 23
        case .persistenceRefused: 24
        case .persistenceNotLicensed: 25
        case .keyNotStored: 26
        }
    }
}
