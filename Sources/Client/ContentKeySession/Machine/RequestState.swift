/// Where a request is in its life, as the machine sees it.
public enum RequestState: String, Sendable, Hashable, CaseIterable {
    /// The app has it, and owes an answer.
    case requesting
    /// The device has the answer.
    case processing
    /// The delegate is asked whether to try again.
    case deciding
    /// Its key is loaded.
    case received
    /// Renewed, retried, cancelled or failed, or its key is gone: nothing can be done with it any more.
    case ended
}

/// What happens to a request.
public enum RequestEvent: Sendable, Equatable {
    /// The app wants an SPC.
    case makeRequestData
    /// The app wants to answer with a persistable key.
    case requestPersistable
    /// The app has a CKC and wants the key to be stored.
    case makePersistableKey
    /// The device did not make a persistable key of the CKC, because the CKC does not allow it.
    case persistenceRefused
    /// The app gave an answer.
    case respond
    /// The app gave an error in place of an answer.
    case fail(ContentKeyError)
    /// There was no answer in time.
    case deadline
    /// The session ended, or nobody wants the key any more.
    case cancel
    /// The device took the answer. A lease lasts this long, from now; nil if there is none.
    case accepted(lease: Duration?)
    /// The device refused the answer, and another request would fare no better.
    case refused(ContentKeyError)
    /// The device refused the answer, and another request may have a better outcome.
    case refusedForNow(ContentKeyError)
    /// The delegate wants another request.
    case retry
    /// The delegate does not want another request.
    case giveUp
    /// A later request's key took the place of this one's.
    case supersede
    /// The key was stopped: by its lease, by the device or by the end of the session.
    case loseKey

    /// An event without what it carries.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case makeRequestData, requestPersistable, makePersistableKey, persistenceRefused, respond, fail, deadline
        case cancel, accepted, refused, refusedForNow, retry, giveUp, supersede, loseKey
    }

    /// The event without what it carries.
    public var kind: Kind {
        switch self {
        case .makeRequestData: .makeRequestData
        case .requestPersistable: .requestPersistable
        case .makePersistableKey: .makePersistableKey
        case .persistenceRefused: .persistenceRefused
        case .respond: .respond
        case .fail: .fail
        case .deadline: .deadline
        case .cancel: .cancel
        case .accepted: .accepted
        case .refused: .refused
        case .refusedForNow: .refusedForNow
        case .retry: .retry
        case .giveUp: .giveUp
        case .supersede: .supersede
        case .loseKey: .loseKey
        }
    }
}

/// The life of a request. Every pair of state and event that has no row changes nothing and is refused.
///
/// | state | event | next | what is done |
/// |---|---|---|---|
/// | requesting | makeRequestData | requesting | the device makes an SPC |
/// | requesting | requestPersistable | requesting | it is one for a persistable key; refused where the route does not allow it |
/// | requesting | makePersistableKey | requesting | the device makes the key to store; refused for an ordinary request |
/// | requesting | persistenceRefused | requesting | it is an ordinary request again |
/// | requesting | respond | processing | the device gets the answer |
/// | requesting | fail | ended | status failed; the app is told |
/// | requesting | deadline | deciding | the delegate is asked: timedOut |
/// | requesting | cancel | ended | status cancelled |
/// | processing | accepted | received | status receivedResponse; the key is loaded; the app is told |
/// | processing | refused | ended | status failed; the app is told |
/// | processing | refusedForNow | deciding | the delegate is asked, with the reason |
/// | processing | cancel | ended | status cancelled |
/// | deciding | retry | ended | status retried; another request is made |
/// | deciding | giveUp | ended | status failed; the app is told |
/// | deciding | cancel | ended | status cancelled |
/// | received | supersede | ended | status renewed |
/// | received | loseKey | ended | the status stays receivedResponse |
/// | ended | accepted | ended | the key that came too late is stopped |
/// | ended | refused | ended | nothing |
/// | ended | refusedForNow | ended | nothing |
/// | ended | persistenceRefused | ended | nothing |
/// | ended | retry | ended | nothing |
/// | ended | giveUp | ended | nothing |
public enum RequestTable {
    /// What the state is afterwards; nil if the table has no row for the pair.
    public static func next(_ state: RequestState, _ event: RequestEvent.Kind) -> RequestState? {
        switch (state, event) {
        case (.requesting, .makeRequestData), (.requesting, .requestPersistable), (.requesting, .makePersistableKey),
            (.requesting, .persistenceRefused):
            .requesting
        case (.requesting, .respond): .processing
        case (.processing, .accepted): .received
        case (.requesting, .deadline), (.processing, .refusedForNow): .deciding
        case (.requesting, .fail), (.requesting, .cancel), (.processing, .refused), (.processing, .cancel),
            (.deciding, .retry), (.deciding, .giveUp), (.deciding, .cancel), (.received, .supersede),
            (.received, .loseKey):
            .ended
        // What was under way when the request ended comes back, and finds nobody.
        case (.ended, .accepted), (.ended, .refused), (.ended, .refusedForNow), (.ended, .persistenceRefused),
            (.ended, .retry), (.ended, .giveUp):
            .ended
        default: nil
        }
    }
}
