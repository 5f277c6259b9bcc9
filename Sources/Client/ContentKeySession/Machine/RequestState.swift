/// The state of a request in the state machine.
package enum RequestState: String, Sendable, Hashable, CaseIterable {
    /// The app has the request and must answer it.
    case requesting
    /// The device processes the response.
    case processing
    /// The delegate decides whether to retry.
    case deciding
    /// The key of the request is loaded.
    case received
    /// The request was renewed, retried or cancelled, it failed, or its key was stopped. Its operations are refused.
    case ended
}

/// An event of a request.
package enum RequestEvent: Sendable, Equatable {
    /// The app requests an SPC.
    case makeRequestData
    /// The app requests to answer with a persistable key.
    case requestPersistable
    /// The app has a CKC and requests the persistent key.
    case makePersistableKey
    /// The device did not create a persistent key from the CKC, because the CKC does not allow it.
    case persistenceRefused
    /// The app provided a response.
    case respond
    /// The app reported an error instead of a response.
    case fail(ContentKeyError)
    /// No response arrived before the deadline.
    case deadline
    /// The session ended, or the key is no longer needed.
    case cancel
    /// The device accepted the response. `lease` is the remaining lease duration; nil if there is no lease.
    case accepted(lease: Duration?)
    /// The device rejected the response, and a retry would not help.
    case rejected(ContentKeyError)
    /// The device rejected the response, and a retry may succeed.
    case rejectedTemporarily(ContentKeyError)
    /// The delegate decided to retry.
    case retry
    /// The delegate decided not to retry.
    case declineRetry
    /// The key of a later request replaced the key of this one.
    case supersede
    /// The key was stopped: by its lease, by the device or by the end of the session.
    case keyStopped

    /// The kind of event, without associated values.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case makeRequestData, requestPersistable, makePersistableKey, persistenceRefused, respond, fail, deadline
        case cancel, accepted, rejected, rejectedTemporarily, retry, declineRetry, supersede, keyStopped
    }

    /// The kind of the event.
    package var kind: Kind {
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
        case .rejected: .rejected
        case .rejectedTemporarily: .rejectedTemporarily
        case .retry: .retry
        case .declineRetry: .declineRetry
        case .supersede: .supersede
        case .keyStopped: .keyStopped
        }
    }
}

/// The state table of a request. A pair of state and event without a row is refused and has no effect.
///
/// | state | event | next | action |
/// |---|---|---|---|
/// | requesting | makeRequestData | requesting | the device makes an SPC |
/// | requesting | requestPersistable | requesting | it becomes persistable; refused if the route does not allow it |
/// | requesting | makePersistableKey | requesting | the device makes the persistent key; refused if not persistable |
/// | requesting | persistenceRefused | requesting | it becomes an online request again |
/// | requesting | respond | processing | the device gets the response |
/// | requesting | fail | ended | status failed; the app is notified |
/// | requesting | deadline | deciding | the delegate decides; the reason is timedOut |
/// | requesting | cancel | ended | status cancelled |
/// | processing | accepted | received | status receivedResponse; the key is loaded; the app is notified |
/// | processing | rejected | ended | status failed; the app is notified |
/// | processing | rejectedTemporarily | deciding | the delegate decides, with the reason |
/// | processing | cancel | ended | status cancelled |
/// | deciding | retry | ended | status retried; another request is made |
/// | deciding | declineRetry | ended | status failed; the app is notified |
/// | deciding | cancel | ended | status cancelled |
/// | received | supersede | ended | status renewed |
/// | received | keyStopped | ended | the status stays receivedResponse |
/// | ended | accepted | ended | the late key is stopped |
/// | ended | rejected | ended | none |
/// | ended | rejectedTemporarily | ended | none |
/// | ended | persistenceRefused | ended | none |
/// | ended | retry | ended | none |
/// | ended | declineRetry | ended | none |
package enum RequestTable {
    /// Returns the next state; nil if the table has no row for the pair.
    package static func next(_ state: RequestState, _ event: RequestEvent.Kind) -> RequestState? {
        switch (state, event) {
        case (.requesting, .makeRequestData), (.requesting, .requestPersistable), (.requesting, .makePersistableKey),
            (.requesting, .persistenceRefused):
            .requesting
        case (.requesting, .respond): .processing
        case (.processing, .accepted): .received
        case (.requesting, .deadline), (.processing, .rejectedTemporarily): .deciding
        case (.requesting, .fail), (.requesting, .cancel), (.processing, .rejected), (.processing, .cancel),
            (.deciding, .retry), (.deciding, .declineRetry), (.deciding, .cancel), (.received, .supersede),
            (.received, .keyStopped):
            .ended
        // The result of an operation that was in progress when the request ended.
        case (.ended, .accepted), (.ended, .rejected), (.ended, .rejectedTemporarily), (.ended, .persistenceRefused),
            (.ended, .retry), (.ended, .declineRetry):
            .ended
        default: nil
        }
    }
}
