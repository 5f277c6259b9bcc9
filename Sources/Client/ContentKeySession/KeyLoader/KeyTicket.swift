/// The state of a request in the loader.
struct KeyTicket: Sendable {
    let request: any ContentKeyLoading
    let identity: KeyURIPolicy.Identity
    let kind: KeyAccess.Kind
    /// The arrival time, by the loader's clock.
    let arrival: Duration
    /// The deadline for the response. While the request is in progress, use ``KeyLoader/deadline(of:)``.
    var deadline: Duration
    /// True if the key is needed now.
    var isAwaited = false
    /// The end of the delay before the next attempt and the failure of the last attempt; nil during an attempt.
    var pause: (until: Duration, failure: KeyFailure)?
    var history = RetryPolicy.History()
    /// The SPC for the next attempt; nil means that a new one is made. It is never the SPC of an earlier request.
    var message: Message?
    /// The token for the next attempt; nil means that it is requested from the app.
    var token: Token?

    /// True if the key will be persistent.
    var isPersistable = false

    /// An SPC, and the certificate and the protocol versions that it was made with.
    struct Message: Sendable {
        let spc: [UInt8]
        let certificate: [UInt8]
        let versions: [UInt32]
    }

    /// The token from the app, which may be nil.
    struct Token: Sendable {
        let value: PlaybackToken?
    }

    var identifier: String { request.identifier }
    var label: KeyLabel { KeyLabel(request.identifier) }

    /// The purpose of the token.
    var purpose: KeyService.Purpose {
        if history.failures[.tokenRefused] != nil { return .refusedToken }
        return kind == .renewal ? .renewal : .license
    }

    /// Prepares the ticket for another attempt. Returns the certificate to remove from the cache, if any.
    mutating func apply(_ remedy: FailureRule.Remedy) -> [UInt8]? {
        switch remedy {
        case .none, .sameRequest, .separateRequests: break
        case .newToken: token = nil
        case .newSPC: message = nil
        case .newCertificate:
            defer { message = nil }
            return message?.certificate
        }
        return nil
    }
}
