public import HLSPlaylist

/// Answers a content key session's requests: the delegate that most apps want.
///
/// ``run()`` does the work for as long as the session lives. What it decides stands in the tables of ``RetryPolicy``,
/// ``KeyFailure/Kind/rule``, ``LeaseRenewal``, ``RotationSchedule``, ``BatchCollector`` and ``CertificateCache``; here it is
/// carried out. What is merged is the asking, never an answer: a CKC opens for its own SPC alone, so that each request has
/// an SPC of its own, and nothing that a server sent is ever used twice.
public actor KeyLoader {
    enum Work: Sendable {
        case load([KeyTicket], at: Duration)
        case gather(timer: Int)
        case renew([String], at: Duration, serial: Int)
        case preload([String], at: Duration)
        case expire(UInt64, at: Duration)
    }

    let source: any ContentKeySource
    let service: KeyService
    let transport: any KeyTransport
    let settings: KeyLoaderSettings
    let clock: ElapsedTime
    var random: any RandomNumberGenerator & Sendable

    private let works: AsyncStream<Work>
    let work: AsyncStream<Work>.Continuation
    var collector: BatchCollector<KeyTicket>
    /// Requests that have no answer yet.
    var open: [UInt64: KeyTicket] = [:]
    /// Keys that were asked for and have not come.
    private var asked: Set<String> = []
    /// Keys that came.
    private var loaded: Set<String> = []
    /// Keys whose fetching is scheduled.
    private var scheduled: Set<String> = []
    /// Keys that were kept and that the device did not take: what is asked for next takes their places.
    var refusedKeptKeys: Set<String> = []
    var leases: [String: (end: Duration, serial: Int)] = [:]
    var leaseCount = 0

    var certificates: CertificateCache
    var certificateWaiters: [CheckedContinuation<Result<[UInt8], KeyFailure>, Never>] = []
    /// Nil once the server has shown that it has no such route.
    var batchURL: String?

    /// The keys that were loaded, and the certificate's fetches.
    public internal(set) var accessLog: BoundedLog<KeyAccess>
    /// What went wrong, each with what can be done about it.
    public internal(set) var errorLog: BoundedLog<KeyErrorEntry>

    /// Makes a loader.
    ///
    /// - Parameters:
    ///   - source: The session.
    ///   - service: Where keys come from.
    ///   - transport: How requests travel.
    ///   - clock: Measures and waits. It should go on while the device sleeps, as `ContinuousClock` does: leases end then too.
    ///   - random: For jitter.
    public init(
        source: any ContentKeySource,
        service: KeyService,
        transport: any KeyTransport,
        settings: KeyLoaderSettings = KeyLoaderSettings(),
        clock: any Clock<Duration> = ContinuousClock(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.source = source
        self.service = service
        self.transport = transport
        self.settings = settings
        self.clock = ElapsedTime(clock)
        self.random = random
        (works, work) = AsyncStream.makeStream()
        collector = BatchCollector(maximum: service.batchURL == nil ? 1 : service.maximumBatch)
        certificates = CertificateCache(lifetime: settings.certificateLifetime)
        batchURL = service.batchURL
        accessLog = BoundedLog(maximum: settings.logSize)
        errorLog = BoundedLog(maximum: settings.logSize)
    }

    /// Answers requests until the session ends or the task is cancelled. What is open then is answered with
    /// ``KeyFailure/Kind/cancelled``. Run it once.
    public func run() async {
        // A discarding task group would be simpler, but needs iOS 17. In this one the results of tasks are taken as they
        // come, among them the next work, so that none pile up.
        await withTaskGroup(of: Step.self) { group in
            group.addTask {
                await self.listen()
                self.work.finish()
                return .done
            }
            group.addTask { await self.nextStep() }
            while let step = await group.next() {
                switch step {
                case .perform(let work):
                    group.addTask {
                        await self.perform(work)
                        return .done
                    }
                    group.addTask { await self.nextStep() }
                case .stop: group.cancelAll()
                case .done: break
                }
            }
        }
        for ticket in open.values.sorted(by: { $0.request.id < $1.request.id }) {
            await giveUp(ticket, KeyFailure(.cancelled))
        }
    }

    /// What a task of ``run()`` found.
    private enum Step: Sendable {
        case perform(Work)
        /// No more work will come.
        case stop
        /// Something was done; nothing follows from it.
        case done
    }

    /// Waits for work. One task at a time does this.
    private nonisolated func nextStep() async -> Step {
        var works = works.makeAsyncIterator()
        return await works.next().map { .perform($0) } ?? .stop
    }

    // MARK: Loading ahead

    /// Loads keys before somebody needs them, all in one round trip where the server has a route for it. Keys that are
    /// loaded or being loaded are passed over.
    public func preload(_ identifiers: [String]) async {
        var fresh: [String] = []
        for identifier in identifiers {
            // The session knows best: keys are revoked, leases end, and another route needs keys of its own.
            let isThere = await source.hasKey(for: identifier) ?? isLoaded(identifier)
            if !isThere, asked.insert(identifier).inserted { fresh.append(identifier) }
        }
        guard !fresh.isEmpty else { return }
        act(collector.announce(fresh))
        await source.processContentKeyRequests(
            identifiers: fresh,
            initializationData: nil,
            options: ContentKeyRequestOptions(isPersistable: false, isPreload: true)
        )
    }

    /// Loads the FairPlay keys that EXT-X-SESSION-KEY names.
    public func preload(_ playlist: MultivariantPlaylist) async {
        await preload(playlist.sessionKeys.filter { $0.key.keyFormat == .fairPlay }.compactMap(\.key.uri))
    }

    /// Tells that keys have appeared in a live playlist, so that those which follow are fetched in time.
    ///
    /// - Parameters:
    ///   - identifiers: Keys that change together; what follows them is fetched together.
    ///   - moment: When they appeared, by the loader's clock; now, unless given.
    public func keysAppeared(_ identifiers: [String], at moment: Duration? = nil) {
        guard let rotation = settings.rotation else { return }
        let next = identifiers.compactMap { settings.prediction.next(after: $0) }
            .filter { !isLoaded($0) && !asked.contains($0) && scheduled.insert($0).inserted }
        guard !next.isEmpty else { return }
        let now = clock.now
        work.yield(.preload(next, at: rotation.moment(after: moment ?? now, now: now, using: &random)))
    }

    /// Tells that a key's lease began now, where the session does not say it in ``ContentKeyLoading/grantedLease``.
    public func leaseGranted(for identifier: String, lasting lease: Duration) {
        scheduleRenewal(of: [identifier], lease: lease)
    }

    private func isLoaded(_ identifier: String) -> Bool {
        loaded.contains(identifier) && leases[identifier].map { $0.end > clock.now } ?? true
    }

    // MARK: Requests

    /// Takes requests until the session ends.
    private func listen() async {
        guard let events = source.sourceEvents else {
            for await request in source.requests { await arrived(request) }
            return
        }
        for await event in events {
            switch event {
            case .request(let request): await arrived(request)
            case .awaited(let id): await awaited(id)
            }
        }
    }

    private func arrived(_ request: any ContentKeyLoading) async {
        guard open[request.id] == nil else { return }
        let now = clock.now
        let identifier = request.identifier
        // Before anything else is waited for, so that nobody takes it for a request that was not announced.
        let isPreload = collector.expects(identifier)
        let kind: KeyAccess.Kind = request.isRenewal ? .renewal : isPreload ? .preload : .onDemand
        var ticket = KeyTicket(
            request: request,
            identity: service.uris.identity(of: identifier) ?? .init(assetID: "", contentIdentifier: []),
            kind: kind,
            arrival: now,
            deadline: deadline(request.isAwaited && kind == .preload ? .onDemand : kind, identifier, now),
            isAwaited: request.isAwaited
        )
        open[request.id] = ticket
        switch request.keySystem {
        case .fairPlayStreaming where !ticket.identity.contentIdentifier.isEmpty:
            if await answerWithKeptKey(&ticket) {
                act(collector.withdraw([identifier]))
                return
            }
            act(collector.arrived(ticket, for: identifier, isAwaited: ticket.isAwaited))
        case .clearKey where KeyOrigin(identifier) != nil,
            .authorizationToken where service.authorizationToken != nil:
            act(collector.withdraw([identifier]))
            work.yield(.load([ticket], at: now))
        case .fairPlayStreaming, .clearKey:
            act(collector.withdraw([identifier]))
            await giveUp(ticket, KeyFailure(.badKeyURI))
        default:
            act(collector.withdraw([identifier]))
            await giveUp(ticket, KeyFailure(.unsupportedKeySystem))
        }
    }

    /// What is left of a lease is what its renewal may take; a lease that has ended is not waited for.
    private func deadline(_ kind: KeyAccess.Kind, _ identifier: String, _ now: Duration) -> Duration {
        switch kind {
        case .renewal:
            guard let end = leases[identifier]?.end, end > now else { return now + settings.retry.renewalDeadline }
            return end
        case .preload: return now + settings.retry.preloadDeadline
        case .onDemand, .certificate: return now + settings.retry.onDemandDeadline
        }
    }

    func act(_ actions: [BatchCollector<KeyTicket>.Action]) {
        for action in actions {
            switch action {
            case .startTimer(let number): work.yield(.gather(timer: number))
            case .send(let batches): for batch in batches { work.yield(.load(batch, at: .zero)) }
            }
        }
    }

    private func perform(_ work: Work) async {
        switch work {
        case .load(let tickets, let moment):
            guard await wait(until: moment) else {
                for ticket in tickets { await giveUp(ticket, KeyFailure(.cancelled)) }
                return
            }
            await load(tickets)
        case .gather(let timer):
            guard await wait(until: clock.now + settings.gatheringTime) else { return }
            // What has not come by now may never come: the session has it. It may be asked for again.
            asked.subtract(collector.stillExpected(timer))
            act(collector.timerEnded(timer))
        case .renew(let identifiers, let moment, let serial):
            guard await wait(until: moment) else { return }
            let due = identifiers.filter { leases[$0]?.serial == serial }
            act(collector.announce(due))
            for identifier in due { await source.renewExpiringResponseData(for: identifier) }
        case .preload(let identifiers, let moment):
            guard await wait(until: moment) else { return }
            scheduled.subtract(identifiers)
            await preload(identifiers)
        case .expire(let id, let moment):
            guard await wait(until: moment), let ticket = open[id] else { return }
            await giveUp(ticket, KeyFailure(.outOfTime))
        }
    }

    /// False when nobody waits any more.
    private func wait(until moment: Duration) async -> Bool {
        if moment > clock.now { try? await clock.sleep(until: moment) }
        return !Task.isCancelled
    }

    // MARK: Ends

    /// A key was loaded.
    func noteLoaded(_ identifier: String) {
        asked.remove(identifier)
        // The session knows what it has; this only saves asking it. It must not grow for as long as a live stream lasts.
        if loaded.count >= 4096 { loaded.removeAll() }
        loaded.insert(identifier)
    }

    /// A request was answered, or needs no answer any more.
    func close(_ ticket: KeyTicket) {
        open[ticket.request.id] = nil
        asked.remove(ticket.identifier)
    }

    /// Answers a request with its failure, unless it was answered meanwhile.
    func giveUp(_ ticket: KeyTicket, _ failure: KeyFailure) async {
        guard open[ticket.request.id] != nil else { return }
        close(ticket)
        if ticket.kind != .renewal { loaded.remove(ticket.identifier) }
        note(failure, ticket.label, retryAfter: nil)
        await ticket.request.processContentKeyResponseError(failure)
    }

    func note(_ failure: KeyFailure, _ label: KeyLabel, retryAfter: Duration?) {
        errorLog.append(KeyErrorEntry(label: label, time: clock.now, failure: failure, retryAfter: retryAfter))
    }
}
