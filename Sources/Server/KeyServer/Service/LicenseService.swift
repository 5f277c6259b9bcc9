import FPSMessages
import KeyServerModule
package import KeyStore

/// Processes license requests: an SPC in, a license or a Sync report out. It combines the Key Server Module, the store
/// and the rules, independent of HTTP.
///
/// A license request is processed in these steps. Each step may refuse the request; the audit log records the refusal.
///
/// 1. Decrypt the SPC, on threads of a pool. Its asset ID determines the content.
/// 2. Check the authorization for the asset, the title and the device.
/// 3. Look up the content and the policies of title, track, content and token, and merge them by the strictest value.
/// 4. Limit the terms to the remaining time of a rental and to the token's `notAfter`.
/// 5. Create the CKC, if the policy's checks allow it.
/// 6. Let the store check replay, token, device, rental, stream slot and persistent key, and write everything in one
///    transaction, together with the audit record.
///
/// A license is sent only after its audit record is committed; if the store cannot write the record, there is no
/// license. The same applies to refusals, except for those that unauthenticated clients can cause without limit: see
/// ``RefusalBudget``. Requests that are shed because of overload are counted but not recorded.
package struct LicenseService: Sendable {
    /// A request for a license.
    package struct Attempt: Sendable {
        /// The SPC.
        package var spc: [UInt8]
        /// The asset ID in the client's request.
        package var assetID: [UInt8]?
        /// The registered asset that was authorized: the one that ``assetID`` referred to at that time; nil if the
        /// authorization was for no asset in particular.
        package var authorizedAssetID: [UInt8]?
        /// True if the client requests a persistent key.
        package var wantsPersistableKey = false
        /// True if the key is loaded before playback.
        package var isPreload = false
        /// The account and the permissions of the token.
        package var authorization: PlaybackAuthorization
        /// True if the request may contain a Sync SPC; otherwise a Sync SPC is refused and has no effect.
        package var acceptsSync = true
        /// The route, for the audit log.
        package var route: String
        /// The client's address.
        package var address: ClientAddress?
        /// The origin of the web page, from the `Origin` header.
        package var origin: String?
        /// The request ID, for the response and the audit log.
        package var requestID: String

        /// Creates a request.
        package init(spc: [UInt8], authorization: PlaybackAuthorization, route: String, requestID: String) {
            self.spc = spc
            self.authorization = authorization
            self.route = route
            self.requestID = requestID
        }
    }

    /// The result of a request.
    package enum Outcome: Sendable {
        /// A CKC.
        case license(IssuedLicense)
        /// The report in a Sync SPC, for which no key is issued.
        case syncReport(SyncReport)
    }

    private let bundleCache: BundleCache
    /// The Key Server Module, which decrypts SPCs and creates CKCs. It can change between requests.
    var module: KSM { bundleCache.module }
    let store: MeasuredStore
    let pool: BoundedWorkPool
    /// Decrypts SPCs on the pool's threads.
    let opener: SharedWork<[UInt8], Result<OpenedSPC, KSMError>>
    let settings: LicenseSettings
    let limiter: RateLimiter?
    let metrics: ServerMetrics?
    let clock: @Sendable () -> Int64
    /// The clock for measuring durations.
    let monotonicClock: @Sendable () -> Int64
    let policies = PolicyCache()
    let contents = ContentCache()
    let refusals: RefusalBudget
    /// The activity for the dashboard; nil without a dashboard.
    package var activity: Activity?

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - bundles: The certificate bundles, which decrypt SPCs and create CKCs.
    ///   - store: The store for content, policies, grants and the audit log.
    ///   - pool: The threads for RSA.
    ///   - settings: The server's settings for licenses.
    ///   - limiter: The rate limiter; nil means no limits.
    ///   - metrics: The metrics for licenses.
    ///   - clock: Returns the time, in milliseconds since 1970.
    ///   - monotonicClock: Returns the time of a monotonic clock, in nanoseconds.
    package init(
        bundles: BundleCache,
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
            refusals: RefusalBudget(clock: monotonicClock),
            clock: clock,
            monotonicClock: monotonicClock
        )
    }

    init(
        bundles: BundleCache,
        store: any KeyServerStore,
        pool: BoundedWorkPool,
        settings: LicenseSettings,
        limiter: RateLimiter?,
        metrics: ServerMetrics?,
        refusals: RefusalBudget,
        clock: @escaping @Sendable () -> Int64,
        monotonicClock: @escaping @Sendable () -> Int64 = monotonicNanoseconds
    ) {
        bundleCache = bundles
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

    /// Answers a request and records it. The account and the address are charged for the SPC before it is decrypted.
    ///
    /// - Throws: ``ProblemDocument`` for a refusal, ``WorkPoolError`` if the server is overloaded, `KeyStoreError` if
    ///   the store fails.
    package func answer(_ attempt: Attempt) async throws -> Outcome {
        let auditBuilder = AuditRecordBuilder(attempt, startedAt: clock(), Stopwatch(monotonicClock))
        let opening = await open([attempt])
        return try await answer(attempt, opening[0], auditBuilder)
    }

    /// Answers a request whose SPC has been decrypted or could not be decrypted.
    func answer(_ attempt: Attempt, _ opening: Opening, _ auditBuilder: AuditRecordBuilder) async throws -> Outcome {
        var auditBuilder = auditBuilder
        defer { metrics?.stage(.total, took: auditBuilder.elapsed) }
        do {
            return try await decide(attempt, opening, &auditBuilder)
        } catch let refusal as KSMError {
            let problem = ProblemDocument(refusal)
            if let authenticated = refusal.authenticated {
                auditBuilder.evidence = evidence(of: authenticated, at: clock() / 1000)
            }
            throw try await recordRefusal(
                problem,
                as: refusal.isServerFailure ? .failed : .refused,
                reason: problem.reason ?? problem.type.name,
                auditBuilder.record(outcome: refusal.code.rawValue, detail: refusal.description),
                auditBuilder,
                attempt
            )
        } catch let problem as ProblemDocument {
            guard problem.type != .rateLimited || chargeRefusalBudget(for: attempt.address) == .recorded else {
                count(.refused, reason: problem.outcome, auditBuilder)
                throw problem
            }
            throw try await recordRefusal(
                problem,
                reason: problem.outcome,
                auditBuilder.record(outcome: problem.outcome, detail: problem.auditDetail ?? problem.detail),
                auditBuilder,
                attempt
            )
        } catch let refusal as GrantRefusal where refusal.code == .tampered {
            throw tampered(auditBuilder, attempt)
        } catch let refusal as GrantRefusal {
            // The store has recorded it.
            count(.refused, reason: refusal.code.rawValue, auditBuilder)
            throw ProblemDocument(refusal)
        } catch {
            // Overload can refuse thousands of requests per second. Recording each of them would cost more than the
            // licenses.
            count(.failed, reason: (error as? WorkPoolError)?.problem.type.name, auditBuilder)
            throw error
        }
    }

    /// Authorizes a request, and records a refusal.
    ///
    /// - Throws: The errors of `authorizer`; ``ProblemType/rateLimited`` instead if too many requests of the address
    ///   were refused.
    package func authorize(
        _ request: PlaybackRequest,
        by authorizer: any PlaybackAuthorizer,
        route: String
    ) async throws -> PlaybackAuthorization {
        try await recordingRefusal(of: request, route: route) { try await authorizer.authorize(request) }
    }

    /// Runs an authorization, and records a refusal.
    ///
    /// - Parameter about: The requested resource, for the audit log.
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
            switch chargeRefusalBudget(for: request.address) {
            case .recorded:
                var record = AuditRecord(
                    milliseconds: milliseconds,
                    route: route,
                    outcome: problem.outcome,
                    microseconds: stopwatch.microseconds
                )
                let details = [about, problem.auditDetail ?? problem.detail].compactMap { $0 }
                record.detail = details.isEmpty ? nil : details.joined(separator: "; ")
                record.requestID = request.requestID
                record.remoteAddress = request.address?.description
                try await store.append(record)
            case .tooMany(let seconds) where problem.type.isClientError:
                throw ProblemDocument(
                    .rateLimited,
                    detail: "Too many requests from this address were refused.",
                    reason: RateLimiter.Scope.address.rawValue,
                    retryAfter: seconds
                )
            case .tooMany, .tooManyOfAll:
                // Requests of other clients must not change the response: the app would not learn that its token has
                // expired.
                break
            }
            throw problem
        }
    }

    /// Counts the outcome of a request.
    func count(_ outcome: ServerMetrics.Outcome, reason: String? = nil, _ auditBuilder: AuditRecordBuilder) {
        metrics?.license(outcome, reason: reason)
        activity?.note(auditBuilder.event(outcome, reason: reason, at: clock()))
    }

    /// Counts the outcome of a request without an SPC, or whose SPC was not processed.
    func count(_ event: ActivityEvent) {
        metrics?.license(event.outcome, reason: event.reason)
        activity?.note(event)
    }

    /// Takes a refusal from the budget of refusals in the audit log, and counts it if the budget is exhausted.
    func chargeRefusalBudget(for address: ClientAddress?) -> RefusalBudget.Verdict {
        let verdict = refusals.consume(address)
        switch verdict {
        case .recorded: break
        case .tooMany: metrics?.unrecorded(by: .address)
        case .tooManyOfAll: metrics?.unrecorded(by: .server)
        }
        return verdict
    }

    /// Applies the rate limits of an account and an address.
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

    /// Charges an address for all items of a request, before any of them is processed.
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
        _ attempt: Attempt,
        _ opening: Opening,
        _ auditBuilder: inout AuditRecordBuilder
    ) async throws -> Outcome {
        let opened = try opening.opened.get()
        let requester = try requester(of: opened, attempt)
        auditBuilder.note(opened, requester)
        auditBuilder.evidence = evidence(of: opened.authenticated, opened, device: requester.device, at: requester.now)
        try adjustCharge(opening, requester, attempt)
        try KSM.requireSameAsset(attempt.assetID, in: opened)
        if let sync = opened.syncReport {
            guard attempt.acceptsSync else { throw ProblemDocument.syncInBatch }
            let report = try await record(sync, from: opened, requester, attempt, &auditBuilder)
            count(.sync, auditBuilder)
            return .syncReport(report)
        }
        let name = opened.request.assetID.bytes
        if let known = contents.content(name: name) {
            do {
                return try await grant(by: known, isCached: true, opened, requester, attempt, &auditBuilder)
            } catch is StaleContent {}
        }
        let content = try await lookUp(opened, requester, attempt)
        contents.keep(content, name: name)
        return try await grant(by: content, isCached: false, opened, requester, attempt, &auditBuilder)
    }
}

extension ProblemDocument {
    /// The outcome in the audit log: the rule, if a policy refused the request, otherwise the problem type.
    var outcome: String { type == .refusedByPolicy ? reason ?? type.name : type.name }

    /// A Sync SPC in a batch. The response to a batch contains only licenses.
    static let syncInBatch = Self(.malformedRequest, detail: "A Sync SPC must be sent separately, to /fps/license.")
}
