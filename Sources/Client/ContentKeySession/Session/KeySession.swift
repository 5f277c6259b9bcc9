/// Asks for keys, has them answered, holds them while they may be used: AVContentKeySession for any platform.
///
/// What it does when is the business of ``KeySessionMachine``; this actor carries out its actions with a device,
/// a clock and a delegate. Requests and keys end with it: with ``expire()``, or when nobody holds it any more.
public actor KeySession: ContentKeySource {
    /// How keys are delivered.
    public nonisolated let keySystem: ContentKeySystem
    /// What the server knows this playback by.
    public nonisolated let contentProtectionSessionIdentifier: ContentProtectionSessionIdentifier
    /// Where reports of its end wait to be sent.
    public nonisolated let expiredSessionReports: any ExpiredSessionReportStore
    /// Who answers requests; not kept alive.
    public private(set) weak var delegate: (any KeySessionDelegate)?

    nonisolated let device: any ContentProtectionDevice
    private nonisolated let time: ElapsedTime
    nonisolated let requestFeed = Feed<any ContentKeyLoading>()
    nonisolated let sourceFeed = Feed<ContentKeySourceEvent>()
    nonisolated let eventFeed = Feed<ContentKeyEvent>()

    var machine: KeySessionMachine
    /// Requests that have not ended.
    var openRequests: [UInt64: ContentKeyRequest] = [:]
    /// What the device remembers of the SPCs of open requests.
    var deviceRequests: [UInt64: any DeviceKeyRequest] = [:]
    /// Keys that the device has made and the machine has not placed.
    var arrivals: [UInt64: any ProtectedContentKey] = [:]
    var keys: [KeyName: (key: ContentKey, request: UInt64)] = [:]
    /// What is reported of keys in use if the session never gets to its end.
    var reportsLeft: [KeyName: ExpiredSessionReport] = [:]
    var recipients = RecipientTable()
    var waiters: [UInt64: CheckedContinuation<Result<ContentKey, ContentKeyError>, Never>] = [:]
    var lastWaiter: UInt64 = 0
    /// Requests that were asked for together, while they are made; nil when none are.
    private var gathered: [ContentKeyRequest]?
    private var timer: (moment: Duration, task: Task<Void, Never>)?

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - device: what makes SPCs and opens CKCs; ``NoContentProtection`` does for the other key systems.
    ///   - clock: measures deadlines and leases.
    ///   - responseTimeout: how long a request may wait for its answer; nil for ever.
    ///   - renewalLead: how long before the end of a lease its renewal is asked for, at most half of the lease; nil
    ///     leaves that to ``renewExpiringResponseData(for:)``.
    ///   - expiredSessionReports: where reports of its end wait to be sent.
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
                keepsPersistableKeys: device.keepsPersistableKeys,
                responseTimeout: responseTimeout,
                renewalLead: renewalLead
            )
        )
    }

    deinit {
        timer?.task.cancel()
        for (key, _) in keys.values { key.end(.sessionExpired) }
        if !machine.isExpired { expiredSessionReports.sessionEnded(contentProtectionSessionIdentifier) }
        requestFeed.finish()
        sourceFeed.finish()
        eventFeed.finish()
    }

    /// Requests as they come. Each access begins a new sequence, which starts with those that wait for an answer.
    public nonisolated var requests: AsyncStream<any ContentKeyLoading> { requestFeed.sequence() }

    /// Requests as they come, and who begins to wait for them. Each access begins a new sequence, which starts with those
    /// that wait for an answer.
    public nonisolated var sourceEvents: AsyncStream<ContentKeySourceEvent>? { sourceFeed.sequence() }

    /// What happens from now on. Each access begins a new sequence.
    public nonisolated var events: AsyncStream<ContentKeyEvent> { eventFeed.sequence() }

    /// Makes somebody answer requests, in place of or beside who reads ``requests``.
    public func setDelegate(_ delegate: (any KeySessionDelegate)?) { self.delegate = delegate }

    /// Where the content goes.
    public var route: ContentKeyRoute { machine.route }

    /// Sends the content elsewhere from now on. Keys for the old route stay; the new one needs its own.
    public func setRoute(_ route: ContentKeyRoute) { apply(.changeRoute(route)) }

    /// Asks for a key on the current route. Does nothing where it is loaded or asked for.
    public func processContentKeyRequest(
        identifier: String,
        initializationData: [UInt8]? = nil,
        options: ContentKeyRequestOptions = ContentKeyRequestOptions()
    ) {
        apply(.ask(identifier: identifier, initializationData: initializationData, options: options))
    }

    /// Asks for several keys at once, such as those that one piece of initialization data names: the delegate gets the
    /// requests together. Those for keys that are loaded or asked for do nothing.
    public func processContentKeyRequests(
        identifiers: [String],
        initializationData: [UInt8]? = nil,
        options: ContentKeyRequestOptions = ContentKeyRequestOptions()
    ) async {
        // Async for its callers' sake, as `hasKey(for:)`. What is due comes before, and is none of these.
        checkDeadlines()
        gathered = []
        for identifier in identifiers {
            apply(.ask(identifier: identifier, initializationData: initializationData, options: options))
        }
        let requests = gathered ?? []
        gathered = nil
        guard !requests.isEmpty else { return }
        delegate?.contentKeySession(self, didProvide: requests, forInitializationData: initializationData)
    }

    /// Whether a key is loaded for the current route.
    public func hasKey(for identifier: String) async -> Bool? {
        // Async for its callers' sake: else they would get the protocol's default, which is.
        keys[KeyName(identifier, route)] != nil
    }

    /// Asks for the lease of the current route's key to be renewed. Does nothing where none is loaded, or another request
    /// for it is under way.
    public func renewExpiringResponseData(for identifier: String) { apply(.renew(identifier: identifier)) }

    /// Does what is due: overdue answers, ends of leases, renewals. The session does so by itself when its clock says;
    /// call it when the clock may have jumped.
    public func checkDeadlines() { apply(.timePassed) }

    /// Gives the machine an event and does what it says.
    @discardableResult
    func apply(_ event: KeySessionMachine.Event) -> [KeySessionMachine.Action] {
        let actions = machine.handle(event, at: time.now)
        for action in actions { perform(action) }
        setTimer()
        return actions
    }

    /// Throws if the machine refused.
    func permit(_ event: KeySessionMachine.Event) throws(ContentKeyError) {
        for case .refuse(let error) in apply(event) { throw error }
    }

    /// A request for the app.
    func provide(_ request: ContentKeyRequest) {
        if request.isRenewal {
            delegate?.contentKeySession(self, didProvideRenewing: request)
            eventFeed.add(.didProvideRenewing(request))
        } else {
            if gathered == nil {
                delegate?.contentKeySession(self, didProvide: request)
            } else {
                gathered?.append(request)
            }
            eventFeed.add(.didProvide(request))
        }
        requestFeed.add(request, waitingAs: request.id)
        sourceFeed.add(.request(request), waitingAs: request.id)
    }

    /// A request that needs no answer any more.
    func settle(_ id: UInt64) {
        requestFeed.settle(id)
        sourceFeed.settle(id)
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
