import FPSMessages
import KeyServerModule
package import KeyStore

/// SPC in, license or Sync report out: the Key Server Module, the store and the rules put together, without HTTP.
///
/// A license comes about in these steps; each may refuse, and the refusal is in the audit log:
///
/// 1. The SPC is opened, on threads of its own. Its asset ID governs.
/// 2. The authorization is held against it: asset, title, device.
/// 3. Content and policies are looked up: title, track, content and token, merged by the strictest value.
/// 4. The terms are bounded by what remains of a rental and by the token's `notAfter`.
/// 5. The CKC is sealed, if the policy's checks allow it.
/// 6. The store decides about replay, token, device, rental, slot and kept key, and writes it all in one transaction,
///    the audit record with it.
///
/// No license is answered before its audit record is safe; a store that cannot take the record means no license. The same
/// holds for refusals, but for those that anybody could have without end: see ``RefusalBudget``. What the server has no time for
/// is counted and not recorded.
package struct LicenseService: Sendable {
    /// One request for a license.
    package struct Question: Sendable {
        /// The SPC.
        package var spc: [UInt8]
        /// The asset ID that the client believes to ask for.
        package var assetID: [UInt8]?
        /// The registered asset that the authorizer was asked about: what ``assetID`` meant then. Nil where it was asked about
        /// none.
        package var authorizedAssetID: [UInt8]?
        /// Whether the client would like to keep the key.
        package var wantsPersistableKey = false
        /// Whether the key is loaded before playback.
        package var isPreload = false
        /// Who asks, and what the token allows.
        package var authorization: PlaybackAuthorization
        /// Whether a Sync SPC may stand for it; otherwise that is refused, and nothing of it is carried out.
        package var takesSync = true
        /// The route, for the audit log.
        package var route: String
        /// The client's address.
        package var address: ClientAddress?
        /// The web page's origin, from the header of that name.
        package var origin: String?
        /// The ID that the answer carries, for the audit log.
        package var requestID: String

        /// Makes a question.
        package init(spc: [UInt8], authorization: PlaybackAuthorization, route: String, requestID: String) {
            self.spc = spc
            self.authorization = authorization
            self.route = route
            self.requestID = requestID
        }
    }

    /// What came of it.
    package enum Outcome: Sendable {
        /// A CKC.
        case license(LicenseAnswer)
        /// What a Sync SPC reports. There is no key in it, and none is given for it.
        case syncReport(SyncReport)
    }

    private let shelf: BundleShelf
    /// What opens SPCs and seals CKCs; it may be another one for the next request.
    var module: KSM { shelf.module }
    let store: MeasuredStore
    let pool: BoundedWorkPool
    /// Opens SPCs on the pool's threads.
    let opener: SharedWork<[UInt8], Result<OpenedSPC, KSMError>>
    let settings: LicenseSettings
    let limiter: RateLimiter?
    let metrics: ServerMetrics?
    let clock: @Sendable () -> Int64
    /// What durations are measured with.
    let monotonicClock: @Sendable () -> Int64
    let policies = PolicyShelf()
    let contents = ContentShelf()
    let refusals: RefusalBudget
    /// Where the dashboard looks; nil when nobody does.
    package var activity: Activity?

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - bundles: what opens SPCs and seals CKCs.
    ///   - store: content, policies, what was granted, and the audit log.
    ///   - pool: the threads that RSA runs on.
    ///   - settings: what the server adds to the terms of a policy.
    ///   - limiter: how often an account may ask; nil for no limit.
    ///   - metrics: where licenses are counted and measured.
    ///   - clock: the time, in milliseconds since 1970.
    ///   - monotonicClock: the time in nanoseconds, by a clock that is never set.
    package init(
        bundles: BundleShelf,
        store: any KeyServerStore,
        pool: BoundedWorkPool,
        settings: LicenseSettings = LicenseSettings(),
        limiter: RateLimiter? = nil,
        metrics: ServerMetrics? = nil,
        clock: @escaping @Sendable () -> Int64 = systemMilliseconds,
        monotonicClock: @escaping @Sendable () -> Int64 = monotonicNanoseconds
    ) {
        self.init(
            bundles: bundles,
            store: store,
            pool: pool,
            settings: settings,
            limiter: limiter,
            metrics: metrics,
            refusals: RefusalBudget(),
            clock: clock,
            monotonicClock: monotonicClock
        )
    }

    init(
        bundles: BundleShelf,
        store: any KeyServerStore,
        pool: BoundedWorkPool,
        settings: LicenseSettings,
        limiter: RateLimiter?,
        metrics: ServerMetrics?,
        refusals: RefusalBudget,
        clock: @escaping @Sendable () -> Int64,
        monotonicClock: @escaping @Sendable () -> Int64 = monotonicNanoseconds
    ) {
        shelf = bundles
        self.store = MeasuredStore(store, metrics)
        self.pool = pool
        opener = SharedWork(width: { bundles.module.openedTogether }) { bundles.module.open($0) }
        self.settings = settings
        self.limiter = limiter
        self.metrics = metrics
        self.refusals = refusals
        self.clock = clock
        self.monotonicClock = monotonicClock
    }

    /// Answers a question and records it. What the account and the address are charged for is the SPC, before it is opened.
    ///
    /// - Throws: ``ProblemDocument`` for what a client may know of a refusal, ``WorkPoolError`` when the server is busy,
    ///   `KeyStoreError` when the store fails.
    package func answer(_ question: Question) async throws -> Outcome {
        let trail = AuditTrail(question, startedAt: clock(), Stopwatch(monotonicClock))
        let opening = await open([question])
        return try await answer(question, opening[0], trail)
    }

    /// What an SPC comes to once it has been opened, or has not.
    func answer(_ question: Question, _ opening: Opening, _ trail: AuditTrail) async throws -> Outcome {
        var trail = trail
        defer { metrics?.stage(.total, took: trail.elapsed) }
        do {
            return try await decide(question, opening, &trail)
        } catch let refusal as KSMError {
            let problem = ProblemDocument(refusal)
            if let authenticated = refusal.authenticated {
                trail.evidence = evidence(of: authenticated, at: clock() / 1000)
            }
            throw try await recordRefusal(
                problem,
                as: refusal.isOurFault ? .failed : .refused,
                reason: problem.reason ?? problem.type.name,
                trail.record(outcome: refusal.code.rawValue, detail: refusal.description),
                trail,
                question
            )
        } catch let problem as ProblemDocument {
            guard problem.type != .rateLimited || hasRoom(for: question.address) == .recorded else {
                count(.refused, reason: problem.outcome, trail)
                throw problem
            }
            throw try await recordRefusal(
                problem,
                reason: problem.outcome,
                trail.record(outcome: problem.outcome, detail: problem.auditDetail ?? problem.detail),
                trail,
                question
            )
        } catch let refusal as GrantRefusal where refusal.code == .tampered {
            throw tampered(trail, question)
        } catch let refusal as GrantRefusal {
            // The store has recorded it.
            count(.refused, reason: refusal.code.rawValue, trail)
            throw ProblemDocument(refusal)
        } catch {
            // Overload refuses thousands a second. A row for each would be more work than the licenses are.
            count(.failed, reason: (error as? WorkPoolError)?.problem.type.name, trail)
            throw error
        }
    }

    /// Asks who may ask, and records it when nobody may.
    ///
    /// - Throws: as `authorizer` does; ``ProblemType/rateLimited`` instead when an address was refused too often.
    package func authorize(
        _ request: PlaybackRequest,
        by authorizer: any PlaybackAuthorizer,
        route: String
    ) async throws -> PlaybackAuthorization {
        try await recordingRefusal(of: request, route: route) { try await authorizer.authorize(request) }
    }

    /// Runs what says who asks, and records it when it says nobody.
    ///
    /// - Parameter about: what was asked for, for the audit log.
    func recordingRefusal(
        of request: PlaybackRequest,
        route: String,
        about: String? = nil,
        _ authorize: () async throws -> PlaybackAuthorization
    ) async throws -> PlaybackAuthorization {
        let milliseconds = clock()
        let stopwatch = Stopwatch(monotonicClock)
        do {
            return try await measured(.authorize, authorize)
        } catch let problem as ProblemDocument {
            count(
                ActivityEvent(
                    milliseconds: clock(),
                    route: route,
                    outcome: .refused,
                    reason: problem.outcome,
                    microseconds: Int(stopwatch.microseconds)
                )
            )
            switch hasRoom(for: request.address) {
            case .recorded:
                var record = AuditRecord(
                    milliseconds: milliseconds,
                    route: route,
                    outcome: problem.outcome,
                    microseconds: stopwatch.microseconds
                )
                let words = [about, problem.auditDetail ?? problem.detail].compactMap { $0 }
                record.detail = words.isEmpty ? nil : words.joined(separator: "; ")
                record.requestID = request.requestID
                record.remoteAddress = request.address?.description
                try await store.append(record)
            case .tooMany(let seconds) where problem.type.isClientsFault:
                throw ProblemDocument(
                    .rateLimited,
                    detail: "Too many requests of this address were refused.",
                    reason: RateLimiter.Scope.address.rawValue,
                    retryAfter: seconds
                )
            case .tooMany, .tooManyOfAll:
                // What others send must not change what an app is told: it would not know that its token has expired.
                break
            }
            throw problem
        }
    }

    /// Counts what became of a request.
    func count(_ outcome: ServerMetrics.Outcome, reason: String? = nil, _ trail: AuditTrail) {
        metrics?.license(outcome, reason: reason)
        activity?.note(trail.event(outcome, reason: reason, at: clock()))
    }

    /// Counts what became of a request that has no SPC, or whose SPC nobody looked at.
    func count(_ event: ActivityEvent) {
        metrics?.license(event.outcome, reason: event.reason)
        activity?.note(event)
    }

    /// Takes room in the audit log for a refusal that cost nothing, and counts it where there is none.
    func hasRoom(for address: ClientAddress?) -> RefusalBudget.Verdict {
        let verdict = refusals.take(address)
        switch verdict {
        case .recorded: break
        case .tooMany: metrics?.unrecorded(by: .address)
        case .tooManyOfAll: metrics?.unrecorded(by: .server)
        }
        return verdict
    }

    /// Charges an account and an address.
    func requireRate(
        of requestClass: RequestClass,
        account: String?,
        address: ClientAddress? = nil,
        count: Int = 1
    ) throws(ProblemDocument) {
        try limiter?.require(
            account: account,
            address: address,
            class: requestClass,
            count: count,
            metrics: metrics
        )
    }

    /// Charges an address for all that a request asks for, before anything of it is looked at.
    func requireItems(_ count: Int, from address: ClientAddress?) throws(ProblemDocument) {
        try limiter?.requireRest(ofItems: count, address: address, metrics: metrics)
    }

    func measured<Value>(
        _ stage: ServerMetrics.Stage,
        _ work: () async throws -> Value
    ) async throws -> Value {
        guard let metrics else { return try await work() }
        let start = ContinuousClock.now
        defer { metrics.stage(stage, took: ContinuousClock.now - start) }
        return try await work()
    }

    private func decide(
        _ question: Question,
        _ opening: Opening,
        _ trail: inout AuditTrail
    ) async throws -> Outcome {
        let opened = try opening.opened.get()
        let party = try party(of: opened, question)
        trail.note(opened, party)
        trail.evidence = evidence(of: opened.authenticated, opened, device: party.device, at: party.now)
        try settle(opening, party, question)
        try KSM.requireSameAsset(question.assetID, in: opened)
        if let sync = opened.syncReport {
            guard question.takesSync else { throw ProblemDocument.syncIsSentAlone }
            let report = try await record(sync, from: opened, party, question, &trail)
            count(.sync, trail)
            return .syncReport(report)
        }
        let name = opened.request.assetID.bytes
        if let known = contents.content(name: name) {
            do {
                return try await grant(by: known, isRemembered: true, opened, party, question, &trail)
            } catch is OutOfDate {}
        }
        let content = try await lookUp(opened, party, question)
        contents.keep(content, name: name)
        return try await grant(by: content, isRemembered: false, opened, party, question, &trail)
    }
}

extension ProblemDocument {
    /// What the audit log calls it: the rule, where a policy refused.
    var outcome: String { type == .refusedByPolicy ? reason ?? type.name : type.name }

    /// A batch is for licenses: what a Sync SPC reports has no place in its answer.
    static let syncIsSentAlone = Self(.malformedRequest, detail: "A Sync SPC is sent alone, to /fps/license.")
}
