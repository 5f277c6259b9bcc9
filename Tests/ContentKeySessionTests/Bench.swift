@testable import ContentKeySession

extension RequestEvent {
    /// One event of each kind.
    static let all: [RequestEvent] = [
        .makeRequestData, .requestPersistable, .makePersistableKey, .persistenceRefused, .respond,
        .fail(Bench.noResponse), .deadline, .cancel, .accepted(lease: nil), .rejected(Bench.invalid),
        .rejectedTemporarily(Bench.expired), .retry, .declineRetry, .supersede, .keyStopped,
    ]
}

/// State machines in every state, and the expected actions of each row of the tables.
enum Bench {
    typealias Machine = KeySessionMachine

    static let noResponse = ContentKeyError(.noResponse, .response)
    static let invalid = ContentKeyError(.init(rawValue: "invalid-ckc"), .device, number: -42668)
    static let expired = ContentKeyError(.leaseExpired, .device, number: -42656)
    static let cancelled = ContentKeyError(.cancelled, .request)

    static func ask(_ identifier: String = "k", _ options: ContentKeyRequestOptions = .init()) -> Machine.Event {
        .requestKey(identifier: identifier, initializationData: nil, options: options)
    }

    static func want(_ identifier: String = "k", recipient: UInt64 = 1, waiter: UInt64) -> Machine.Event {
        .requestKeyForRecipient(
            identifier: identifier,
            initializationData: nil,
            options: .init(),
            recipient: recipient,
            waiter: waiter
        )
    }

    static func request(
        _ id: UInt64,
        _ name: KeyName = KeyName("k"),
        _ options: ContentKeyRequestOptions = .init(),
        isRenewal: Bool = false,
        canProvide: Bool = false
    ) -> Machine.Action {
        .provide(
            Machine.Request(
                id: id,
                name: name,
                initializationData: nil,
                options: options,
                isRenewal: isRenewal,
                requestsPersistableKey: canProvide
            )
        )
    }

    /// Returns a state machine whose request 1, for a persistable key, is in a state.
    static func machine(requestIn state: RequestState) -> Machine {
        var machine = Machine()
        let events: [RequestEvent] =
            switch state {
            case .requesting: []
            case .processing: [.respond]
            case .deciding: [.respond, .rejectedTemporarily(expired)]
            case .received: [.respond, .accepted(lease: nil)]
            case .ended: [.respond, .rejected(invalid)]
            }
        _ = machine.handle(ask())
        _ = machine.handle(.request(1, .requestPersistable))
        for event in events { _ = machine.handle(.request(1, event)) }
        return machine
    }

    /// Returns the expected actions of a row of the request table.
    static func actions(_ state: RequestState, _ event: RequestEvent) -> [Machine.Action] {
        switch (state, event) {
        case (.requesting, .makeRequestData): [.allow(1, .makeRequestData)]
        case (.requesting, .requestPersistable): [.allow(1, .requestPersistable), .providePersistable(1)]
        case (.requesting, .makePersistableKey): [.allow(1, .makePersistableKey)]
        case (.requesting, .respond): [.allow(1, .respond)]
        case (.requesting, .fail): [.setStatus(1, .failed), .fail(1, noResponse)]
        case (.requesting, .deadline): [.requestRetryDecision(1, .timedOut)]
        case (.requesting, .cancel), (.processing, .cancel), (.deciding, .cancel): [.setStatus(1, .cancelled)]
        case (.processing, .accepted):
            [.setStatus(1, .receivedResponse), .useKey(KeyName("k"), request: 1, recipients: []), .succeed(1)]
        case (.processing, .rejected): [.setStatus(1, .failed), .fail(1, invalid)]
        case (.processing, .rejectedTemporarily): [.requestRetryDecision(1, .receivedResponseWithExpiredLease)]
        case (.deciding, .retry): [.setStatus(1, .retried), request(2)]
        case (.deciding, .declineRetry): [.setStatus(1, .failed), .fail(1, expired)]
        case (.received, .supersede): [.setStatus(1, .renewed)]
        case (.ended, .accepted): [.releaseKey(request: 1)]
        default: []
        }
    }

    /// Returns a state machine over AirPlay whose key k is in a state. Request 1 provided the key; request 2 is in
    /// progress.
    static func machine(keyIn state: KeyState) -> Machine {
        var machine = Machine()
        _ = machine.handle(.changeRoute(.airPlay))
        _ = machine.handle(.addRecipient(1, isLoading: false))
        guard state != .absent else { return machine }
        _ = machine.handle(ask())
        guard state != .requested else { return machine }
        _ = machine.handle(.request(1, .respond))
        _ = machine.handle(.request(1, .accepted(lease: .seconds(60))))
        if state == .refreshing { _ = machine.handle(.renew(identifier: "k")) }
        return machine
    }

    /// Returns an event that causes a key event in a state machine of ``machine(keyIn:)``.
    static func event(_ event: KeyEvent, in state: KeyState) -> Machine.Event {
        let pending: UInt64 = state == .refreshing ? 2 : 1
        return switch event {
        case .request: ask()
        case .requestAgain: want(waiter: 7)
        case .renew: .renew(identifier: "k")
        case .load: .request(pending, .accepted(lease: nil))
        case .requestEnded: .request(pending, .fail(noResponse))
        case .leaseExpired: .timePassed
        case .revoke: .revoke(1)
        }
    }

    /// Returns the expected actions of a row of the key table, as names.
    static func words(_ state: KeyState, _ event: KeyEvent) -> [String] {
        switch (state, event) {
        case (.absent, .request), (.absent, .requestAgain), (.loaded, .requestAgain): ["provide"]
        case (.requested, .requestAgain), (.refreshing, .requestAgain): ["awaited"]
        case (.loaded, .renew): ["provide renewal"]
        case (.requested, .requestEnded), (.refreshing, .requestEnded): ["status", "fail"]
        case (.loaded, .leaseExpired), (.refreshing, .leaseExpired): ["stop for leaseExpired"]
        case (.loaded, .revoke), (.refreshing, .revoke): ["stop for revoked"]
        case (.requested, .load): ["status", "use", "succeed"]
        case (.refreshing, .load): ["status", "use", "status", "succeed"]
        // These two events cannot occur without a request in progress.
        case (.absent, .load): ["release"]
        case (.loaded, .load), (.absent, .requestEnded), (.loaded, .requestEnded): ["refuse"]
        default: []
        }
    }

    static func word(_ action: Machine.Action) -> String {
        switch action {
        case .provide(let request): request.isRenewal ? "provide renewal" : "provide"
        case .notifyAwaited: "awaited"
        case .setStatus: "status"
        case .fail: "fail"
        case .succeed: "succeed"
        case .useKey: "use"
        case .stopKey(_, _, let cause): "stop for \(cause)"
        case .releaseKey: "release"
        case .refuse: "refuse"
        default: "\(action)"
        }
    }
}
