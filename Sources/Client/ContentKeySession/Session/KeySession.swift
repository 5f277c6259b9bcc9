/// A session that requests keys, receives the responses, and stores the keys while they can be used:
/// AVContentKeySession for any platform.
///
/// The tables of `docs/content-key-session.md` specify the behavior; this actor performs it with a device, a clock and a
/// delegate.
/// Requests and keys end with the session: with ``expire()``, or when the session is deallocated.
public actor KeySession: ContentKeySource {
    /// The method of key delivery.
    public nonisolated let keySystem: ContentKeySystem
    /// The identifier of this playback session for the server.
    public nonisolated let contentProtectionSessionIdentifier: ContentProtectionSessionIdentifier
    /// The store of reports of the session's end.
    public nonisolated let expiredSessionReports: any ExpiredSessionReportStore
    /// The delegate that answers requests; a weak reference.
    public private(set) weak var delegate: (any KeySessionDelegate)?

    nonisolated let device: any ContentProtectionDevice
    private nonisolated let time: ElapsedTime
    nonisolated let requestBroadcast = Broadcast<any ContentKeyLoading>()
    nonisolated let sourceBroadcast = Broadcast<ContentKeySourceEvent>()
    nonisolated let eventBroadcast = Broadcast<ContentKeyEvent>()

    var machine: KeySessionMachine
    /// Requests that have not ended.
    var openRequests: [UInt64: ContentKeyRequest] = [:]
    /// The device's state for the SPCs of open requests.
    var deviceRequests: [UInt64: any DeviceKeyRequest] = [:]
    /// Keys that the device has created and the state machine has not handled yet.
    var receivedKeys: [UInt64: any ProtectedContentKey] = [:]
    var keys: [KeyName: (key: ContentKey, request: UInt64)] = [:]
    /// Reports for the keys in use, to be sent if the session ends without `expire()`.
    var crashReports: [KeyName: ExpiredSessionReport] = [:]
    var recipients = RecipientTable()
    var waiters: [UInt64: CheckedContinuation<Result<ContentKey, ContentKeyError>, Never>] = [:]
    var lastWaiter: UInt64 = 0
    /// The requests of one call for several keys, while they are made; otherwise nil.
    private var batchedRequests: [ContentKeyRequest]?
    private var timer: (moment: Duration, task: Task<Void, Never>)?

    /// Starts a session.
    ///
    /// - Parameters:
    ///   - keySystem: The method of key delivery.
    ///   - device: The device that creates SPCs and opens CKCs; ``NoContentProtection`` is sufficient for the other key
    ///     systems.
    ///   - clock: The clock for deadlines and leases.
    ///   - responseTimeout: The timeout for the response to a request; nil means no timeout.
    ///   - renewalLead: The time before the end of a lease at which its renewal is requested, at most half of the
    ///     lease; nil means only by ``renewExpiringResponseData(for:)``.
    ///   - expiredSessionReports: The store of reports of the session's end.
    public init(
        keySystem: ContentKeySystem = .fairPlayStreaming,
        device: any ContentProtectionDevice,
        clock: some Clock<Duration> = ContinuousClock(),
        responseTimeout: Duration? = .seconds(30),
        renewalLead: Duration? = .seconds(30),
        expiredSessionReports: any ExpiredSessionReportStore = InMemoryExpiredSessionReports()
    ) {
        (self.keySystem, self.device, time) = (keySystem, device, ElapsedTime(clock))
        self.expiredSessionReports = expiredSessionReports
        contentProtectionSessionIdentifier = device.makeSessionIdentifier()
        machine = KeySessionMachine(
            configuration: .init(
                keySystem: keySystem,
                supportsPersistableKeys: device.supportsPersistableKeys,
                responseTimeout: responseTimeout,
                renewalLead: renewalLead
            )
        )
    }

    deinit {
        timer?.task.cancel()
        for (key, _) in keys.values { key.end(.sessionExpired) }
        if !machine.isExpired { expiredSessionReports.sessionEnded(contentProtectionSessionIdentifier) }
        requestBroadcast.finish()
        sourceBroadcast.finish()
        eventBroadcast.finish()
    }

    /// The requests as they are made. Each access starts a new sequence, which begins with the requests without a
    /// response.
    public nonisolated var requests: AsyncStream<any ContentKeyLoading> { requestBroadcast.sequence() }

    /// The requests as they are made, and the events that a key becomes needed. Each access starts a new sequence,
    /// which begins with the requests without a response.
    public nonisolated var sourceEvents: AsyncStream<ContentKeySourceEvent>? { sourceBroadcast.sequence() }

    /// The events from now on. Each access starts a new sequence.
    public nonisolated var events: AsyncStream<ContentKeyEvent> { eventBroadcast.sequence() }

    /// Sets the delegate that answers requests, instead of or in addition to a reader of ``requests``.
    public func setDelegate(_ delegate: (any KeySessionDelegate)?) { self.delegate = delegate }

    /// The current output route of the content.
    public var route: ContentKeyRoute { machine.route }

    /// Changes the output route. Keys of the old route stay loaded; the new route needs separate keys.
    public func setRoute(_ route: ContentKeyRoute) { apply(.changeRoute(route)) }

    /// Requests a key for the current route. Does nothing if it is loaded or requested.
    public func processContentKeyRequest(
        identifier: String,
        initializationData: [UInt8]? = nil,
        options: ContentKeyRequestOptions = ContentKeyRequestOptions()
    ) {
        apply(.requestKey(identifier: identifier, initializationData: initializationData, options: options))
    }

    /// Requests several keys at once, such as all keys of one initialization data: the delegate receives the requests
    /// together. Keys that are loaded or requested are skipped.
    public func processContentKeyRequests(
        identifiers: [String],
        initializationData: [UInt8]? = nil,
        options: ContentKeyRequestOptions = ContentKeyRequestOptions()
    ) async {
        // Async because the protocol's default is, as `hasKey(for:)`. Requests that are already due are made first,
        // separately.
        checkDeadlines()
        batchedRequests = []
        for identifier in identifiers {
            apply(.requestKey(identifier: identifier, initializationData: initializationData, options: options))
        }
        let requests = batchedRequests ?? []
        batchedRequests = nil
        guard !requests.isEmpty else { return }
        delegate?.contentKeySession(self, didProvide: requests, forInitializationData: initializationData)
    }

    /// Returns whether a key is loaded for the current route.
    public func hasKey(for identifier: String) async -> Bool? {
        // Async, because otherwise callers would get the protocol's default implementation, which is async.
        keys[KeyName(identifier, route)] != nil
    }

    /// Requests the renewal of the lease of the current route's key. Does nothing if the key is not loaded or a request
    /// for it is in progress.
    public func renewExpiringResponseData(for identifier: String) { apply(.renew(identifier: identifier)) }

    /// Performs what is due: response timeouts, lease expirations and renewals. The session does this automatically by
    /// its clock; call it when the clock may have jumped.
    public func checkDeadlines() { apply(.timePassed) }

    /// Applies an event to the state machine and performs the resulting actions.
    @discardableResult
    func apply(_ event: KeySessionMachine.Event) -> [KeySessionMachine.Action] {
        let actions = machine.handle(event, at: time.now)
        for action in actions { perform(action) }
        setTimer()
        return actions
    }

    /// Applies an event and throws if the state machine refuses it.
    func applyOrThrow(_ event: KeySessionMachine.Event) throws(ContentKeyError) {
        for case .refuse(let error) in apply(event) { throw error }
    }

    /// Passes a request to the app.
    func provide(_ request: ContentKeyRequest) {
        if request.isRenewal {
            delegate?.contentKeySession(self, didProvideRenewing: request)
            eventBroadcast.add(.didProvideRenewing(request))
        } else {
            if batchedRequests == nil {
                delegate?.contentKeySession(self, didProvide: request)
            } else {
                batchedRequests?.append(request)
            }
            eventBroadcast.add(.didProvide(request))
        }
        requestBroadcast.add(request, waitingAs: request.id)
        sourceBroadcast.add(.request(request), waitingAs: request.id)
    }

    /// Removes a request that no longer needs a response from the sequences.
    func resolve(_ id: UInt64) {
        requestBroadcast.resolve(id)
        sourceBroadcast.resolve(id)
    }

    private func setTimer() {
        let moment = machine.nextDeadline
        guard moment != timer?.moment else { return }
        timer?.task.cancel()
        timer = moment.map { moment in
            let sleeper = Task { [weak self, time] in
                guard (try? await time.sleep(until: moment)) != nil else { return }
                await self?.wake()
            }
            return (moment, sleeper)
        }
    }

    private func wake() {
        timer = nil
        apply(.timePassed)
    }
}
