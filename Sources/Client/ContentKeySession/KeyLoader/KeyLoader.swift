public import HLSPlaylist
import TextCoding

/// A loader that answers the requests of a content key session: the delegate that most apps need.
///
/// ``run()`` does the work while the session exists. The decisions are specified in the tables of ``RetryPolicy``,
/// ``LeaseRenewal`` and ``RotationSchedule``, and in `docs/key-loader.md`; the loader carries them out. Requests can share
/// a round trip, but never a response: a CKC can be opened only with its own SPC, so each request has its own SPC, and no
/// response is used twice.
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
    /// Requests without a response.
    var open: [UInt64: KeyTicket] = [:]
    /// Keys that were requested and have not loaded.
    private var requested: Set<String> = []
    /// Keys that have loaded.
    private var loaded: Set<String> = []
    /// Keys whose preloading is scheduled.
    private var scheduled: Set<String> = []
    /// The device's errors about stored keys that it rejected, by identifier, nil inside if it reported none; the next
    /// key from the server replaces the stored key.
    var rejectedStoredKeys: [String: ContentKeyError?] = [:]
    /// The protocol versions that playlists declare for keys, by identifier.
    var declaredVersions: [String: [UInt32]] = [:]
    /// The final failures of keys that have not loaded since, by identifier.
    var failures: [String: KeyFailure] = [:]
    var leases: [String: (end: Duration, serial: Int)] = [:]
    var leaseCount = 0

    var certificates: CertificateCache
    var certificateWaiters: [CheckedContinuation<Result<[UInt8], KeyFailure>, Never>] = []
    /// The batch URL; nil after the server has shown that it has no batch route.
    var batchURL: String?

    /// The log of loaded keys and certificate fetches.
    public internal(set) var accessLog: BoundedLog<KeyAccess>
    /// The log of failures, each with advice. ``lastFailure(for:)`` returns that of a key.
    public internal(set) var errorLog: BoundedLog<KeyErrorEntry>

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - source: The session.
    ///   - service: The key server and how to request keys from it.
    ///   - transport: The transport that sends requests.
    ///   - settings: The retries, renewals, preloading and storage of keys.
    ///   - clock: The clock for measurements and delays. It must continue while the device sleeps, as `ContinuousClock`
    ///     does, because leases expire then too.
    ///   - random: The random numbers for jitter.
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

    /// Answers requests until the session ends or the task is cancelled. Then all open requests fail with
    /// ``KeyFailure/Kind/cancelled``. Call it only once.
    public func run() async {
        // A discarding task group would be simpler, but needs iOS 17. In this group, results of tasks, including the
        // next work item, are consumed as they arrive, so that they do not accumulate.
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
            await fail(ticket, KeyFailure(.cancelled))
        }
    }

    /// The result of a task of ``run()``.
    private enum Step: Sendable {
        case perform(Work)
        /// There is no more work.
        case stop
        /// The task is complete; no further work results from it.
        case done
    }

    /// Waits for work. Only one task at a time waits.
    private nonisolated func nextStep() async -> Step {
        var works = works.makeAsyncIterator()
        return await works.next().map { .perform($0) } ?? .stop
    }

    // MARK: Preloading

    /// Loads keys before they are needed, in one round trip if the server has a batch route. Keys that are loaded or
    /// being loaded are skipped.
    ///
    /// - Parameters:
    ///   - identifiers: The identifiers of the keys.
    ///   - isPersistable: True to request persistable keys, as for a download.
    public func preload(_ identifiers: [String], isPersistable: Bool = false) async {
        var fresh: [String] = []
        for identifier in identifiers {
            // The session has the current state: keys are revoked, leases expire, and another route needs separate
            // keys.
            let isThere = await source.hasKey(for: identifier) ?? isLoaded(identifier)
            if !isThere, requested.insert(identifier).inserted { fresh.append(identifier) }
        }
        guard !fresh.isEmpty else { return }
        act(collector.announce(fresh))
        // With the request, the versions do not depend on when the player asks for the key with another tag.
        while let versions = fresh.first.map({ declaredVersions[$0] }) {
            let group = fresh.filter { declaredVersions[$0] == versions }
            fresh.removeAll { declaredVersions[$0] == versions }
            await source.processContentKeyRequests(
                identifiers: group,
                initializationData: nil,
                options: ContentKeyRequestOptions(
                    isPersistable: isPersistable,
                    isPreload: true,
                    protocolVersions: versions
                )
            )
        }
    }

    /// Notes the protocol versions that a playlist declares for its keys (KEYFORMATVERSIONS). Call it before the keys
    /// are requested, if the session does not read the playlist itself. The first row that applies determines the
    /// versions of an SPC:
    ///
    /// | Source | Versions |
    /// |---|---|
    /// | the request | ``ContentKeyLoading/declaredProtocolVersions``, if the session reads the playlist |
    /// | a playlist that the app passed to this function or to ``preload(_:)`` | those of its tag |
    /// | a key that ``KeyLoaderSettings/prediction`` predicted | those of the key that it follows |
    /// | a stored persistent key | those that it was requested with (``VersionedPersistentKeyStore``) |
    /// | none | 1, as for a tag without KEYFORMATVERSIONS (RFC 8216, section 4.3.2.4) |
    ///
    /// - Parameter tags: EXT-X-KEY and EXT-X-SESSION-KEY tags of a playlist. Tags of other key formats are ignored.
    public func keysDeclared(_ tags: [KeyTag]) {
        for tag in tags where tag.keyFormat == .fairPlay {
            guard let identifier = tag.uri else { continue }
            declare(tag.protocolVersions, for: identifier)
        }
    }

    private func declare(_ versions: [UInt32], for identifier: String) {
        // Bounds the dictionary in long live streams.
        if declaredVersions.count > 4096 { declaredVersions.removeAll() }
        declaredVersions[identifier] = versions
    }

    /// Returns the protocol versions for the SPC of a request.
    func protocolVersions(for request: any ContentKeyLoading) async -> [UInt32] {
        if let versions = request.declaredProtocolVersions ?? declaredVersions[request.identifier] { return versions }
        let stored = settings.persistentKeys as? any VersionedPersistentKeyStore
        return await stored?.protocolVersions(for: request.identifier) ?? [1]
    }

    /// Loads the FairPlay keys of the EXT-X-SESSION-KEY tags.
    public func preload(_ playlist: MultivariantPlaylist) async {
        keysDeclared(playlist.sessionKeys.map(\.key))
        await preload(playlist.sessionKeys.filter { $0.key.keyFormat == .fairPlay }.compactMap(\.key.uri))
    }

    /// Reports that keys have appeared in a live playlist, so that the keys that follow are fetched in time.
    ///
    /// - Parameters:
    ///   - identifiers: The keys that change together; the keys that follow them are fetched together.
    ///   - moment: The time at which they appeared, by the loader's clock; nil means now.
    public func keysAppeared(_ identifiers: [String], at moment: Duration? = nil) {
        guard let rotation = settings.rotation else { return }
        let next = identifiers.compactMap { identifier in
            let next = settings.prediction.next(after: identifier)
            if let next, declaredVersions[next] == nil, let versions = declaredVersions[identifier] {
                declare(versions, for: next)
            }
            return next
        }
        .filter { !isLoaded($0) && !requested.contains($0) && scheduled.insert($0).inserted }
        guard !next.isEmpty else { return }
        let now = clock.now
        work.yield(.preload(next, at: rotation.moment(after: moment ?? now, now: now, using: &random)))
    }

    /// Reports that a key's lease started now, if the session does not provide ``ContentKeyLoading/grantedLease``.
    public func leaseGranted(for identifier: String, lasting lease: Duration) {
        scheduleRenewal(of: [identifier], lease: lease)
    }

    private func isLoaded(_ identifier: String) -> Bool {
        loaded.contains(identifier) && leases[identifier].map { $0.end > clock.now } ?? true
    }

    // MARK: Requests

    /// Receives requests until the session ends.
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
        if let versions = request.declaredProtocolVersions { declare(versions, for: identifier) }
        // Checked before the first suspension, so that an announced request is not taken for an on-demand one.
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
            if await respondWithStoredKey(&ticket) {
                act(collector.withdraw([identifier]))
                return
            }
            let isUrgent = ticket.isAwaited && !settings.gathersAwaitedKeys
            act(collector.arrived(ticket, for: identifier, isAwaited: isUrgent))
        case .clearKey where URLOrigin(identifier) != nil || DataURI.isDataURI(identifier),
            .authorizationToken where service.authorizationToken != nil:
            act(collector.withdraw([identifier]))
            work.yield(.load([ticket], at: now))
        case .fairPlayStreaming, .clearKey:
            act(collector.withdraw([identifier]))
            await fail(ticket, KeyFailure(.badKeyURI))
        default:
            act(collector.withdraw([identifier]))
            await fail(ticket, KeyFailure(.unsupportedKeySystem))
        }
    }

    /// Returns the deadline of a request. A renewal has until the lease ends; an expired lease does not limit it.
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
                for ticket in tickets { await fail(ticket, KeyFailure(.cancelled)) }
                return
            }
            await load(tickets)
        case .gather(let timer):
            guard await wait(until: clock.now + settings.gatheringTime) else { return }
            // A request that has not arrived by now may never arrive, because the session already has the key. It can
            // be requested again.
            requested.subtract(collector.stillExpected(timer))
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
            await fail(ticket, KeyFailure(.deadlineExceeded))
        }
    }

    /// Waits until a time. Returns false if the task was cancelled.
    private func wait(until moment: Duration) async -> Bool {
        if moment > clock.now { try? await clock.sleep(until: moment) }
        return !Task.isCancelled
    }

    // MARK: Completion

    /// Notes that a key has loaded.
    func markLoaded(_ identifier: String) {
        requested.remove(identifier)
        failures[identifier] = nil
        // The session has the current state; this set only saves queries. Its size must be bounded for long live
        // streams.
        if loaded.count >= 4096 { loaded.removeAll() }
        loaded.insert(identifier)
    }

    /// Removes a request that was answered or no longer needs a response.
    func close(_ ticket: KeyTicket) {
        open[ticket.request.id] = nil
        requested.remove(ticket.identifier)
    }

    /// Fails a request, unless it was answered in the meantime.
    func fail(_ ticket: KeyTicket, _ failure: KeyFailure) async {
        guard open[ticket.request.id] != nil else { return }
        close(ticket)
        if ticket.kind != .renewal { loaded.remove(ticket.identifier) }
        let failure = withStoredKeyError(failure, ticket)
        noteFinal(failure, of: ticket)
        await ticket.request.processContentKeyResponseError(failure)
    }
}
