import FPSMessages
import KeyServerModule
package import KeyStore

/// Processes license requests: an SPC in, a license or a Sync report out. It combines the Key Server Module, the store
/// and the rules, independent of HTTP.
///
/// A license request is processed in these steps. Each step may refuse the request; the audit log records the refusal.
///
/// 1. Decrypt the SPC, on threads of a pool. Its asset ID determines the content. A token is verified before that; the
///    operator's webhook, which gets what the SPC contains, is called after it.
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
    /// The number of SPCs of a batch in one work item, which is the number of keys that a title typically has. Each
    /// work item costs two thread switches, but a long batch in a single item would delay other licenses.
    static let openedTogether = 4

    /// An error that means that the cached content may be out of date.
    private struct StaleContent: Error {}

    private let bundles: BundleCache
    let store: MeasuredStore
    private let settings: LicenseSettings
    let time: ServerTime
    let limits: LicenseLimits
    private let opener: LicenseOpener
    let decision: LicenseDecision
    private let claims: LicenseClaims
    private let syncs: SyncRecording
    private(set) var recording: LicenseRecording
    private let contents = ContentCache()

    /// The activity for the dashboard; nil without a dashboard.
    package var activity: Activity? {
        get { recording.activity }
        set { recording.activity = newValue }
    }

    /// The Key Server Module, which decrypts SPCs and creates CKCs. It can change between requests.
    var module: KSM { bundles.module }

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - bundles: The certificate bundles, which decrypt SPCs and create CKCs.
    ///   - store: The store for content, policies, grants and the audit log.
    ///   - pool: The threads for RSA.
    ///   - settings: The server's settings for licenses.
    ///   - limiter: The rate limiter; nil means no limits.
    ///   - metrics: The metrics for licenses.
    ///   - time: The clocks.
    package init(
        bundles: BundleCache,
        store: any KeyServerStore,
        pool: BoundedWorkPool,
        settings: LicenseSettings = LicenseSettings(),
        limiter: RateLimiter? = nil,
        metrics: ServerMetrics? = nil,
        time: ServerTime = ServerTime()
    ) {
        let (store, limits) = (MeasuredStore(store, metrics), LicenseLimits(limiter, metrics))
        self.bundles = bundles
        self.store = store
        self.settings = settings
        self.time = time
        self.limits = limits
        opener = LicenseOpener(
            bundles: bundles,
            store: store,
            pool: pool,
            limits: limits,
            metrics: metrics,
            time: time
        )
        decision = LicenseDecision(bundles: bundles, store: store, pool: pool, settings: settings)
        claims = LicenseClaims(bundles: bundles, store: store, settings: settings)
        syncs = SyncRecording(bundles: bundles, store: store)
        recording = LicenseRecording(
            bundles: bundles,
            store: store,
            settings: settings,
            limits: limits,
            metrics: metrics,
            refusals: RefusalBudget(clock: time.nanoseconds),
            time: time
        )
    }

    /// Returns the registered asset ID for a client's name of content, or the name itself if there is no such content.
    /// Only names that can be an ``AssetAlias`` are looked up.
    func registeredAssetID(for name: [UInt8]) async throws -> [UInt8] {
        guard !AssetAlias.readings(of: name).isEmpty else { return name }
        return try await store.lookup(name: name)?.record.info.assetID ?? name
    }

    /// Checks that the asset ID in a request and the one in its SPC are names of the same asset.
    ///
    /// - Throws: `asset-id-mismatch`; the errors of the store.
    private func requireSameAsset(_ claimed: [UInt8]?, in spc: OpenedSPC) async throws {
        let name = spc.request.assetID.bytes
        guard let claimed, claimed != name else { return }
        guard try await registeredAssetID(for: claimed) != registeredAssetID(for: name) else { return }
        try KSM.requireSameAsset(claimed, in: spc)
    }

    /// Authorizes a request, and records a refusal.
    ///
    /// - Throws: The errors of `authorizer`; ``ProblemType/rateLimited`` instead if too many requests of the address
    ///   were refused.
    func authorize(
        _ request: PlaybackRequest,
        by authorizer: any PlaybackAuthorizer
    ) async throws -> PlaybackAuthorization {
        try await recording.authorization(of: request.facts) { try await authorizer.authorize(request) }
    }

    /// Checks a request before its SPC is decrypted, and records a refusal.
    ///
    /// - Throws: ``ProblemDocument``.
    func precheck(_ request: PlaybackRequest, by authorizer: any PlaybackAuthorizer) async throws {
        try await recording.recordingRefusals(of: request.facts) { try authorizer.precheck(request) }
    }

    /// Issues a challenge for one Sync SPC of the account.
    ///
    /// - Throws: ``ProblemDocument`` if the account exceeds its rate limit, `KeyStoreError` if the store fails.
    func challenge(for authorization: PlaybackAuthorization) async throws -> (value: UInt64, expires: Int64) {
        try limits.require(.other, account: authorization.knownAccount)
        let now = time.seconds
        let expires = now + Int64(settings.challengeLifetime.rawValue)
        let value = try await store.createChallenge(account: authorization.account, now: now, expires: expires)
        return (value, expires)
    }

    /// Answers a request and records it. The account and the address are charged for the SPC before it is decrypted.
    ///
    /// - Throws: ``ProblemDocument`` for a refusal, ``WorkPoolError`` if the server is overloaded, `KeyStoreError` if
    ///   the store fails.
    func answer(_ attempt: LicenseAttempt) async throws -> LicenseAnswer {
        try await answerWithDevice(attempt).answer
    }

    /// Answers a request like ``answer(_:)``, and returns what the device reported too.
    func answerWithDevice(
        _ attempt: LicenseAttempt
    ) async throws -> (answer: LicenseAnswer, device: DeviceInformation?) {
        var decisions = AuthorizationDecisions()
        let opened = await authorized(opened([attempt]), &decisions)[0]
        return (try await answer(opened: opened), opened.sender.map { DeviceInformation($0.spc.device) })
    }

    /// Answers the key requests of a batch, in their order. Requests in a group run concurrently; they share a thread
    /// for their SPCs and a commit of the store.
    func answers(to attempts: [LicenseAttempt]) async -> [Result<LicenseAnswer, any Error>] {
        var all: [Result<LicenseAnswer, any Error>] = []
        all.reserveCapacity(attempts.count)
        var rest = attempts[...]
        var decisions = AuthorizationDecisions()
        while !rest.isEmpty {
            let opened = await authorized(opened(Array(rest.prefix(Self.openedTogether))), &decisions)
            all += await answers(opened: opened)
            rest = rest.dropFirst(Self.openedTogether)
        }
        return all
    }

    private func answers(opened: [LicenseAttempt]) async -> [Result<LicenseAnswer, any Error>] {
        let answers = BatchAnswers(count: opened.count)
        await withDiscardingTaskGroup { group in
            for (index, attempt) in opened.enumerated() {
                group.addTask {
                    do {
                        answers.put(.success(try await answer(opened: attempt)), at: index)
                    } catch {
                        answers.put(.failure(error), at: index)
                    }
                }
            }
        }
        return answers.all
    }

    /// Starts the attempts and decrypts their SPCs.
    private func opened(_ attempts: [LicenseAttempt]) async -> [LicenseAttempt] {
        var attempts = attempts
        for index in attempts.indices { attempts[index].start = time.start() }
        return await opener.open(attempts)
    }

    /// Answers a request whose SPC has been decrypted or could not be decrypted.
    private func answer(opened attempt: LicenseAttempt) async throws -> LicenseAnswer {
        var attempt = attempt
        defer { recording.finish(attempt) }
        do {
            return try await decide(&attempt)
        } catch {
            throw try await recording.failure(of: attempt, error)
        }
    }

    private func decide(_ attempt: inout LicenseAttempt) async throws -> LicenseAnswer {
        let sender = try attempt.opening.get()
        attempt.evidence = sender.spc.authenticated.map {
            SPCEvidence($0, from: sender, at: sender.now, settings, under: module.configuration)
        }
        try attempt.requireAuthorization()
        try limits.adjustCharge(attempt, sender)
        try await requireSameAsset(attempt.request?.assetID, in: sender.spc)
        if let sync = sender.spc.syncReport {
            guard attempt.acceptsSync else { throw ProblemDocument.syncInBatch }
            let report = try await syncs.record(sync, in: &attempt)
            recording.count(.sync, attempt)
            return .syncReport(report)
        }
        let name = sender.spc.request.assetID.bytes
        if let known = contents.content(name: name) {
            do {
                return try await grant(&attempt, known, isCached: true)
            } catch is StaleContent {}
        }
        guard let content = try await store.lookup(name: name) else {
            try attempt.authorization.require(assetID: name, title: nil, deviceHash: sender.device)
            throw ProblemDocument(.unknownAsset)
        }
        contents.keep(content, name: name)
        return try await grant(&attempt, content, isCached: false)
    }

    /// Determines the terms, creates the CKC and records the grant in the store.
    ///
    /// - Throws: ``StaleContent`` if the catalog has changed since the content was looked up, or may have.
    private func grant(
        _ attempt: inout LicenseAttempt,
        _ content: ContentLookup,
        isCached: Bool
    ) async throws -> LicenseAnswer {
        attempt.assetID = content.record.info.assetID
        var rentalStart: Int64?
        while true {
            var proposal: GrantProposal
            do {
                proposal = try await self.proposal(for: &attempt, content, rentalStart: rentalStart)
            } catch  where isCached {
                throw StaleContent()
            }
            if isCached { proposal.catalogVersion = content.catalogVersion }
            switch try await recording.measured(.store, { [proposal] in try await store.grant(proposal) }) {
            case .granted:
                recording.count(proposal.answer.isPersistable ? .issuedPersistable : .issued, attempt)
                return .license(proposal.answer)
            case .retried(let answer):
                recording.count(.retried, attempt)
                return .license(answer)
            case .refused(let refusal): throw refusal
            case .rentalStarted(let other): rentalStart = other
            case .catalogChanged: throw StaleContent()
            case .deviceReported(let report):
                attempt.opening = attempt.opening.map { $0.bound(by: RestrictingReports(report)) }
            }
        }
    }

    /// Checks the request against policies and authorization, creates the CKC, and returns the proposal for the store.
    ///
    /// - Parameter rentalStart: The start of the rental, if the store has another one than was read.
    private func proposal(
        for attempt: inout LicenseAttempt,
        _ content: ContentLookup,
        rentalStart: Int64?
    ) async throws -> GrantProposal {
        let terms = try await recording.measured(.decide) {
            try await decision.terms(of: content, for: &attempt, rentalStart: rentalStart)
        }
        attempt.terms = terms
        let license = try await recording.measured(.seal) {
            try await decision.license(for: attempt, by: terms)
        }
        return try claims.proposal(for: license, by: terms, to: attempt)
    }
}
