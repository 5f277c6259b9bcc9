/// The state machine of a content key session: events in, actions out. It contains no key bytes.
///
/// The rows of ``RequestTable`` and ``KeyTable`` specify its behavior; this type tracks which request is for which key,
/// which waiters wait for a key, and the time. Times are durations since the session started.
package struct KeySessionMachine: Sendable {
    struct RequestRecord {
        let request: Request
        var state: RequestState = .requesting
        var isPersistable = false
        /// The deadline for the response.
        var deadline: Duration?
        /// The device's error, while the delegate decides on a retry.
        var error: ContentKeyError?
    }

    struct KeyRecord {
        var state: KeyState = .absent
        /// The request that provided the key in use.
        var current: UInt64?
        /// The request in progress.
        var pending: UInt64?
        var leaseEnd: Duration?
        /// The time at which to request the renewal of the lease.
        var renewAt: Duration?
        var initializationData: [UInt8]?
        var options = ContentKeyRequestOptions()
        /// True if the app requested the key itself, so that its request is not cancelled when recipients are removed.
        var isWantedByApp = false
        var recipients: Set<RecipientID> = []
        var waiters: [(id: WaiterID, recipient: RecipientID)] = []
    }

    /// The configuration of the session.
    package let configuration: Configuration
    /// The current output route of the content.
    package private(set) var route: ContentKeyRoute = .local
    /// True if the session has ended.
    package private(set) var isExpired = false

    /// Requests that have not ended.
    var requests: [UInt64: RequestRecord] = [:]
    /// Keys that are loaded or requested.
    var keys: [KeyName: KeyRecord] = [:]
    var recipients: Set<RecipientID> = []
    private var lastID: UInt64 = 0

    /// Creates the state of a new session.
    package init(configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// Returns the state of a request; ``RequestState/ended`` for requests that have ended and for unknown IDs.
    package func state(ofRequest id: UInt64) -> RequestState { requests[id]?.state ?? .ended }

    /// Returns whether an open request was converted into a request for a persistable key.
    package func isPersistable(request id: UInt64) -> Bool { requests[id]?.isPersistable ?? false }

    /// Returns whether a waiter waits for the key of an open request.
    package func isAwaited(request id: UInt64) -> Bool {
        guard let name = requests[id]?.request.name, let key = keys[name] else { return false }
        return key.pending == id && !key.waiters.isEmpty
    }

    /// Returns the state of a key.
    package func state(ofKey name: KeyName) -> KeyState { keys[name]?.state ?? .absent }

    /// The earliest time at which ``Event/timePassed`` has an effect, if any.
    package var nextDeadline: Duration? {
        let answers = requests.values.filter { $0.state == .requesting }.compactMap(\.deadline)
        let leases = keys.values.flatMap { [$0.leaseEnd, $0.state == .loaded ? $0.renewAt : nil] }.compactMap(\.self)
        return (answers + leases).min()
    }

    /// Handles an event and returns the actions to perform, after the actions that are due at this time.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - now: The time since the session started. It never decreases.
    package mutating func handle(_ event: Event, at now: Duration = .zero) -> [Action] {
        advanceTime(at: now) + process(event, at: now)
    }

    private mutating func process(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .expire: return expire()
        case .abandon(let waiter): return abandon(waiter)
        case .removeRecipient(let recipient): return remove(recipient)
        case .request(let id, let event): return handle(event, request: id, at: now)
        default: break
        }
        guard !isExpired else {
            if case .timePassed = event { return [] }
            if case .requestKeyForRecipient(_, _, _, _, let waiter) = event { return [.failWaiter(waiter, expired)] }
            return [.refuse(expired)]
        }
        switch event {
        case .requestKey(let identifier, let initializationData, let options):
            let name = KeyName(identifier, route)
            note(name, initializationData, options) { $0.isWantedByApp = true }
            return handle(.request, key: name, at: now)
        case .requestKeyForRecipient(let identifier, let initializationData, let options, let recipient, let waiter):
            guard recipients.contains(recipient) else {
                let error = ContentKeyError(
                    .unknownRecipient,
                    .recipient,
                    reason: "add the recipient to the session before it loads"
                )
                return [.failWaiter(waiter, error)]
            }
            let name = KeyName(identifier, route)
            let pending = keys[name]?.pending
            let isFirst = keys[name]?.waiters.isEmpty ?? true
            note(name, initializationData, options) { key in
                key.recipients.insert(recipient)
                key.waiters.append((waiter, recipient))
            }
            let actions = handle(route == .local ? .request : .requestAgain, key: name, at: now)
            guard isFirst, let pending, isAwaited(request: pending) else { return actions }
            return actions + [.notifyAwaited(pending)]
        case .addRecipient(let recipient, let isLoading):
            guard !isLoading else {
                return [
                    .refuse(
                        ContentKeyError(
                            .recipientAlreadyLoading,
                            .recipient,
                            reason: "the recipient has already started to load"
                        )
                    )
                ]
            }
            recipients.insert(recipient)
            return []
        case .renew(let identifier): return handle(.renew, key: KeyName(identifier, route), at: now)
        case .changeRoute(let route):
            self.route = route
            return []
        case .revoke(let id):
            guard let name = keys.first(where: { $0.value.current == id })?.key else { return [] }
            return handle(.revoke, key: name, at: now)
        case .timePassed, .expire, .abandon, .removeRecipient, .request: return []
        }
    }

    /// Creates a request for a key. It can provide a persistable key if the route, the device and the key system allow
    /// it.
    mutating func makeRequest(for name: KeyName, isRenewal: Bool, at now: Duration) -> Action {
        lastID += 1
        let key = keys[name] ?? KeyRecord()
        let request = Request(
            id: lastID,
            name: name,
            initializationData: key.initializationData,
            options: key.options,
            isRenewal: isRenewal,
            requestsPersistableKey: key.options.isPersistable && !isRenewal && mayPersist(on: name.route)
        )
        requests[lastID] = RequestRecord(request: request, deadline: configuration.responseTimeout.map { now + $0 })
        keys[name, default: KeyRecord()].pending = lastID
        return .provide(request)
    }

    func mayPersist(on route: ContentKeyRoute) -> Bool {
        route == .local && configuration.supportsPersistableKeys && configuration.keySystem == .fairPlayStreaming
    }

    var expired: ContentKeyError { ContentKeyError(.sessionExpired, .session) }

    /// Stores the initialization data and options of a key request; for a key that is loaded or requested, the first
    /// values are kept. Its renewals have the protocol versions of the playlist, also if the app requested the key
    /// before it had the playlist.
    private mutating func note(
        _ name: KeyName,
        _ initializationData: [UInt8]?,
        _ options: ContentKeyRequestOptions,
        who: (inout KeyRecord) -> Void
    ) {
        var key = keys[name] ?? KeyRecord()
        if key.state == .absent { (key.initializationData, key.options) = (initializationData, options) }
        if key.options.protocolVersions == nil { key.options.protocolVersions = options.protocolVersions }
        who(&key)
        keys[name] = key
    }

    private mutating func advanceTime(at now: Duration) -> [Action] {
        var actions: [Action] = []
        let overdue = requests.values.filter { $0.state == .requesting && ($0.deadline.map { $0 <= now } ?? false) }
        for id in overdue.map(\.request.id).sorted() { actions += handle(.deadline, request: id, at: now) }
        for (name, key) in keys.sorted(by: { ($0.value.current ?? 0) < ($1.value.current ?? 0) }) {
            if let end = key.leaseEnd, end <= now {
                actions += handle(.leaseExpired, key: name, at: now)
            } else if let moment = key.renewAt, moment <= now {
                keys[name]?.renewAt = nil
                actions += handle(.renew, key: name, at: now)
            }
        }
        return actions
    }

    private mutating func abandon(_ waiter: WaiterID) -> [Action] {
        for (name, key) in keys where key.waiters.contains(where: { $0.id == waiter }) {
            keys[name]?.waiters.removeAll { $0.id == waiter }
            return [.failWaiter(waiter, ContentKeyError(.cancelled, .recipient))]
        }
        return []
    }

    private mutating func remove(_ recipient: RecipientID) -> [Action] {
        guard recipients.remove(recipient) != nil else { return [] }
        var actions: [Action] = []
        for name in keys.keys.sorted(by: { $0.identifier < $1.identifier }) {
            guard var key = keys[name], key.recipients.remove(recipient) != nil else { continue }
            for waiter in key.waiters where waiter.recipient == recipient {
                actions.append(.failWaiter(waiter.id, ContentKeyError(.cancelled, .recipient)))
            }
            key.waiters.removeAll { $0.recipient == recipient }
            keys[name] = key
            if key.state == .requested, !key.isWantedByApp, key.recipients.isEmpty, let pending = key.pending {
                actions += handle(.cancel, request: pending)
            }
        }
        return actions
    }

    private mutating func expire() -> [Action] {
        guard !isExpired else { return [] }
        isExpired = true
        var actions: [Action] = []
        for id in requests.keys.sorted() where requests[id]?.state != .received {
            actions += handle(.cancel, request: id)
        }
        let loaded = keys.filter { $0.value.current != nil }.sorted {
            ($0.value.current ?? 0) < ($1.value.current ?? 0)
        }
        for (name, key) in loaded {
            guard let current = key.current else { continue }
            actions.append(.stopKey(name, request: current, .sessionExpired))
            actions += handle(.keyStopped, request: current)
        }
        keys = [:]
        if !loaded.isEmpty { actions.append(.reportExpiry(loaded.map(\.key))) }
        return actions
    }
}
