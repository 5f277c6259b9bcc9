/// A request on its way through the loader.
struct KeyTicket: Sendable {
    let request: any ContentKeyLoading
    let identity: KeyURIPolicy.Identity
    let kind: KeyAccess.Kind
    /// When it arrived, by the loader's clock.
    let arrival: Duration
    /// When it must have been answered. Of a ticket that is on its way, ask ``KeyLoader/deadline(of:)``.
    var deadline: Duration
    /// Whether somebody waits for the key.
    var isAwaited = false
    /// Until when the next attempt is put off, and what the last one failed with; nil while there is one.
    var pause: (until: Duration, failure: KeyFailure)?
    var history = RetryPolicy.History()
    /// The SPC of the next attempt; nil: a new one is made. Never that of an earlier request.
    var message: Message?
    /// The token of the next attempt; nil: the app is asked.
    var token: Token?

    /// Whether the key is to be kept.
    var isPersistable = false

    /// An SPC, and the certificate that it was made for.
    struct Message: Sendable {
        let spc: [UInt8]
        let certificate: [UInt8]
    }

    /// What the app said; it may say that there is none.
    struct Token: Sendable {
        let value: PlaybackToken?
    }

    var identifier: String { request.identifier }
    var label: KeyLabel { KeyLabel(request.identifier) }

    /// What the token is for.
    var purpose: KeyService.Purpose {
        if history.failures[.tokenRefused] != nil { return .refusedToken }
        return kind == .renewal ? .renewal : .license
    }

    /// Makes ready for another attempt; a certificate that has to be dropped comes back.
    mutating func apply(_ remedy: FailureRule.Remedy) -> [UInt8]? {
        switch remedy {
        case .none, .sameRequest, .singly: break
        case .newToken: token = nil
        case .newSPC: message = nil
        case .newCertificate:
            defer { message = nil }
            return message?.certificate
        }
        return nil
    }
}
