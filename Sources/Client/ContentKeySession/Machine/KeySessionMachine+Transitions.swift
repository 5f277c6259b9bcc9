// The actions of the rows of the two tables, after the tables have returned a next state.

extension KeySessionMachine {
    /// Handles an event of a request.
    mutating func handle(_ event: RequestEvent, request id: UInt64, at now: Duration = .zero) -> [Action] {
        guard let next = RequestTable.next(state(ofRequest: id), event.kind) else { return [.refuse(refusal)] }
        guard var record = requests[id] else {
            // The request has ended, and the result of its last operation arrives.
            if case .accepted = event { return [.releaseKey(request: id)] }
            return []
        }
        if let error = obstacle(to: event.kind, record) { return [.refuse(error)] }
        record.state = next
        let name = record.request.name
        switch event {
        case .requestPersistable: record.isPersistable = true
        case .persistenceRefused: record.isPersistable = false
        case .rejectedTemporarily(let error): record.error = error
        case .deadline: record.error = ContentKeyError(.timedOut, .response)
        default: break
        }
        requests[id] = next == .ended ? nil : record

        switch event {
        case .makeRequestData, .makePersistableKey, .respond: return [.allow(id, event.kind)]
        case .requestPersistable: return [.allow(id, event.kind), .providePersistable(id)]
        case .persistenceRefused: return []
        case .fail(let error), .rejected(let error): return fail(id, name, error, at: now)
        case .declineRetry: return fail(id, name, record.error ?? ContentKeyError(.cancelled, .request), at: now)
        case .cancel:
            let error = isExpired ? expired : ContentKeyError(.cancelled, .request)
            return [.setStatus(id, .cancelled)] + endRequest(id, name, error, at: now)
        case .deadline, .rejectedTemporarily:
            return [.requestRetryDecision(id, record.error?.retryReason ?? .timedOut)]
        case .retry:
            let renews = record.request.isRenewal && keys[name]?.current != nil
            return [.setStatus(id, .retried), makeRequest(for: name, isRenewal: renews, at: now)]
        case .accepted(let lease):
            return [.setStatus(id, .receivedResponse)] + load(id, name, lease: lease, at: now) + [.succeed(id)]
        case .supersede: return [.setStatus(id, .renewed)]
        case .keyStopped: return []
        }
    }

    /// Handles an event of a key, except `load` and `requestEnded`, which requests cause.
    mutating func handle(_ event: KeyEvent, key name: KeyName, at now: Duration) -> [Action] {
        let state = state(ofKey: name)
        guard let next = KeyTable.next(state, event), var key = keys[name] else { return [] }
        key.state = next
        var actions: [Action] = []
        switch event {
        // On other routes, waiters need a new key.
        case .request where key.current != nil && name.route == .local:
            actions = key.waiters.map { .deliver($0.id, name) }
            key.waiters = []
        case .leaseExpired, .revoke:
            if let current = key.current {
                actions.append(.stopKey(name, request: current, event == .leaseExpired ? .leaseExpired : .revoked))
                actions += handle(.keyStopped, request: current)
            }
            (key.current, key.leaseEnd, key.renewAt) = (nil, nil, nil)
        default: break
        }
        keys[name] = next == .absent ? nil : key
        let startsRequest = event == .request || event == .requestAgain || event == .renew
        if startsRequest, state != next { actions.append(makeRequest(for: name, isRenewal: event == .renew, at: now)) }
        return actions
    }

    /// Returns the error if an event is refused although its row exists; otherwise nil.
    private func obstacle(to event: RequestEvent.Kind, _ record: RequestRecord) -> ContentKeyError? {
        switch event {
        case .makeRequestData where configuration.keySystem != .fairPlayStreaming:
            ContentKeyError(.unsupportedOperation, .request, reason: "\(configuration.keySystem.rawValue) has no SPC")
        case .requestPersistable where record.request.isRenewal || !mayPersist(on: record.request.name.route):
            ContentKeyError(.persistenceNotAllowed, .request, reason: whyNoPersistence(record.request))
        case .makePersistableKey where !record.isPersistable: ContentKeyError(.notPersistable, .request)
        default: nil
        }
    }

    private func whyNoPersistence(_ request: Request) -> String {
        if request.isRenewal { return "the request renews a lease" }
        if configuration.keySystem != .fairPlayStreaming {
            return "\(configuration.keySystem.rawValue) does not support persistent keys"
        }
        return configuration.supportsPersistableKeys
            ? "the route \(request.name.route.rawValue) does not allow persistent keys"
            : "the device does not support persistent keys"
    }

    private var refusal: ContentKeyError { isExpired ? expired : ContentKeyError(.requestAnswered, .request) }

    private mutating func fail(_ id: UInt64, _ name: KeyName, _ error: ContentKeyError, at now: Duration) -> [Action] {
        [.setStatus(id, .failed)] + endRequest(id, name, error, at: now) + [.fail(id, error)]
    }

    /// Applies the row `load`: the key of the request becomes the key in use.
    private mutating func load(_ id: UInt64, _ name: KeyName, lease: Duration?, at now: Duration) -> [Action] {
        guard var key = keys[name], key.pending == id, let next = KeyTable.next(key.state, .load) else {
            return [.releaseKey(request: id)]
        }
        let old = key.current
        key.state = next
        (key.current, key.pending) = (id, nil)
        key.leaseEnd = lease.map { now + $0 }
        key.renewAt = lease.flatMap { lease in
            configuration.renewalLead.map { now + lease - min($0, lease / 2) }
        }
        let waiters = key.waiters
        key.waiters = []
        keys[name] = key
        var actions: [Action] = [.useKey(name, request: id, recipients: key.recipients.sorted())]
        if let old { actions += handle(.supersede, request: old) }
        return actions + waiters.map { .deliver($0.id, name) }
    }

    /// Applies the row `requestEnded`: the request ended without a key.
    private mutating func endRequest(_ id: UInt64, _ name: KeyName, _ error: ContentKeyError, at now: Duration)
        -> [Action]
    {
        guard var key = keys[name], key.pending == id, let next = KeyTable.next(key.state, .requestEnded) else {
            return []
        }
        key.state = next
        key.pending = nil
        let waiters = key.waiters
        key.waiters = []
        keys[name] = next == .absent ? nil : key
        return waiters.map { .failWaiter($0.id, error) }
    }
}
