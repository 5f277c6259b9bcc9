import FPSMessages
public import KeyServerModule
public import KeyStore

/// SPC in, licence or Sync report out: the Key Server Module, the store and the rules put together, without HTTP.
///
/// A licence comes about in these steps; each may refuse, and every refusal is in the audit log:
///
/// 1. The SPC is opened, on threads of its own. Its asset ID governs.
/// 2. The authorization is held against it: asset, title, device.
/// 3. Content and policies are looked up: title, track, content and token, merged by the strictest value.
/// 4. The terms are bounded by what remains of a rental and by the token's `notAfter`.
/// 5. The CKC is sealed, if the policy's checks allow it.
/// 6. The store decides about replay, token, device, rental, slot and kept key, and writes it all in one transaction,
///    the audit record with it.
///
/// Nothing is answered before its audit record is safe; a store that cannot take the record means no licence.
public struct LicenseService: Sendable {
    /// One request for a licence.
    public struct Question: Sendable {
        /// The SPC.
        public var spc: [UInt8]
        /// The asset ID that the client believes to ask for.
        public var assetID: [UInt8]?
        /// Whether the client would like to keep the key.
        public var wantsPersistableKey = false
        /// Whether the key is loaded before playback.
        public var isPreload = false
        /// Who asks, and what the token allows.
        public var authorization: PlaybackAuthorization
        /// The route, for the audit log.
        public var route: String
        /// The client's address.
        public var address: ClientAddress?
        /// The web page's origin, from the header of that name.
        public var origin: String?
        /// The ID that the answer carries, for the audit log.
        public var requestID: String

        /// Makes a question.
        public init(spc: [UInt8], authorization: PlaybackAuthorization, route: String, requestID: String) {
            self.spc = spc
            self.authorization = authorization
            self.route = route
            self.requestID = requestID
        }
    }

    /// What came of it.
    public enum Outcome: Sendable {
        /// A CKC.
        case license(LicenseAnswer)
        /// What a Sync SPC reports. There is no key in it, and none is given for it.
        case syncReport(SyncReport)
    }

    let module: KeyServerModule
    let store: any KeyStore
    let pool: BoundedWorkPool
    let settings: LicenseSettings
    let limiter: RateLimiter?
    let metrics: ServerMetrics?
    let clock: @Sendable () -> Int64
    let policies = PolicyShelf()
    let contents = ContentShelf()

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - module: what opens SPCs and seals CKCs.
    ///   - store: content, policies, what was granted, and the audit log.
    ///   - pool: the threads that RSA runs on.
    ///   - settings: what the server adds to the terms of a policy.
    ///   - limiter: how often an account may ask; nil for no limit.
    ///   - metrics: where licences are counted and measured.
    ///   - clock: the time, in milliseconds since 1970.
    public init(
        module: KeyServerModule,
        store: any KeyStore,
        pool: BoundedWorkPool,
        settings: LicenseSettings = LicenseSettings(),
        limiter: RateLimiter? = nil,
        metrics: ServerMetrics? = nil,
        clock: @escaping @Sendable () -> Int64 = systemMilliseconds
    ) {
        self.module = module
        self.store = store
        self.pool = pool
        self.settings = settings
        self.limiter = limiter
        self.metrics = metrics
        self.clock = clock
    }

    /// Answers a question and records it.
    ///
    /// - Throws: ``ProblemDocument`` for what a client may know of a refusal, ``WorkPoolError`` when the server is busy,
    ///   `KeyStoreError` when the store fails.
    public func answer(_ question: Question) async throws -> Outcome {
        var trail = AuditTrail(question, startedAt: clock())
        let start = ContinuousClock.now
        defer { metrics?.stage(.total, took: ContinuousClock.now - start) }
        do {
            return try await decide(question, &trail)
        } catch let refusal as KSMError {
            let problem = ProblemDocument(refusal)
            metrics?.licence(refusal.isOurFault ? .failed : .refused, reason: problem.reason ?? problem.type.name)
            try await store.append(trail.record(outcome: refusal.code.rawValue, detail: refusal.description))
            throw problem
        } catch let problem as ProblemDocument {
            metrics?.licence(.refused, reason: problem.outcome)
            try await store.append(
                trail.record(outcome: problem.outcome, detail: problem.auditDetail ?? problem.detail)
            )
            throw problem
        } catch let refusal as GrantRefusal {
            // The store has recorded it.
            metrics?.licence(.refused, reason: refusal.code.rawValue)
            throw ProblemDocument(refusal)
        } catch {
            metrics?.licence(.failed)
            throw error
        }
    }

    /// Asks who may ask, and records it when nobody may.
    ///
    /// - Throws: as `authorizer` does.
    public func authorize(
        _ request: PlaybackRequest,
        by authorizer: any PlaybackAuthorizer,
        route: String
    ) async throws -> PlaybackAuthorization {
        let milliseconds = clock()
        do {
            return try await measured(.authorise) { try await authorizer.authorize(request) }
        } catch let problem as ProblemDocument {
            var record = AuditRecord(
                milliseconds: milliseconds,
                route: route,
                outcome: problem.outcome,
                microseconds: max(clock() - milliseconds, 0) * 1000
            )
            record.detail = problem.auditDetail ?? problem.detail
            metrics?.licence(.refused, reason: problem.outcome)
            record.requestID = request.requestID
            record.remoteAddress = request.remoteAddress
            try await store.append(record)
            throw problem
        }
    }

    /// Charges an account. Its address was charged when the request came in.
    func requireRate(of requestClass: RequestClass, account: String?) throws(ProblemDocument) {
        try limiter?.require(account: account, address: nil, class: requestClass, metrics: metrics)
    }

    private func measured<Value>(
        _ stage: ServerMetrics.Stage,
        _ work: () async throws -> Value
    ) async throws -> Value {
        guard let metrics else { return try await work() }
        let start = ContinuousClock.now
        defer { metrics.stage(stage, took: ContinuousClock.now - start) }
        return try await work()
    }

    private func decide(_ question: Question, _ trail: inout AuditTrail) async throws -> Outcome {
        let (module, spc) = (module, question.spc)
        let opened = try await measured(.open) {
            try await pool.run { Result { () throws(KSMError) in try module.open(spc) } }.get()
        }
        let party = try party(of: opened, question)
        trail.note(opened, party)
        try KeyServerModule.requireSameAsset(question.assetID, in: opened)
        if let sync = opened.syncReport {
            let report = try await record(sync, from: opened, party, question, trail)
            metrics?.licence(.sync)
            return .syncReport(report)
        }
        try requireRate(of: opened.device.route == .local ? .licence : .segment, account: party.account)
        if let known = contents.content(assetID: opened.request.assetID.bytes) {
            do {
                return try await grant(by: known, isRemembered: true, opened, party, question, &trail)
            } catch is OutOfDate {}
        }
        let content = try await measured(.decide) { try await lookUp(opened, party, question) }
        contents.keep(content)
        return try await grant(by: content, isRemembered: false, opened, party, question, &trail)
    }

    /// What was remembered may not be so any more.
    private struct OutOfDate: Error {}

    /// Content as it is now.
    private func lookUp(_ opened: OpenedSPC, _ party: Party, _ question: Question) async throws -> ContentLookup {
        let assetID = opened.request.assetID.bytes
        guard let content = try await store.lookup(assetID: assetID) else {
            try question.authorization.require(assetID: assetID, title: nil, deviceHash: party.device)
            throw ProblemDocument(.unknownAsset)
        }
        return content
    }

    /// Terms, CKC and the store's word.
    ///
    /// - Throws: ``OutOfDate`` when the catalogue has changed since the content was looked up, or may have.
    private func grant(
        by content: ContentLookup,
        isRemembered: Bool,
        _ opened: OpenedSPC,
        _ party: Party,
        _ question: Question,
        _ trail: inout AuditTrail
    ) async throws -> Outcome {
        var start: Int64?
        while true {
            var proposal: GrantProposal
            do {
                proposal = try await self.proposal(by: content, rentalStart: start, opened, party, question, &trail)
            } catch where isRemembered {
                throw OutOfDate()
            }
            if isRemembered { proposal.catalogueVersion = content.catalogueVersion }
            switch try await measured(.store, { [proposal] in try await store.grant(proposal) }) {
            case .granted:
                metrics?.licence(proposal.answer.isPersistable ? .issuedPersistable : .issued)
                return .license(proposal.answer)
            case .retried(let answer):
                metrics?.licence(.retried)
                return .license(answer)
            case .refused(let refusal): throw refusal
            case .rentalStarted(let other): start = other
            case .catalogueChanged: throw OutOfDate()
            }
        }
    }

    /// Who may have it, on which terms, and the CKC that says so.
    ///
    /// - Parameter rentalStart: the start of the rental, where the store knows another one than was found.
    private func proposal(
        by content: ContentLookup,
        rentalStart: Int64?,
        _ opened: OpenedSPC,
        _ party: Party,
        _ question: Question,
        _ trail: inout AuditTrail
    ) async throws -> GrantProposal {
        let (policy, rental): (LicensePolicy, RunningRental?) = try await measured(.decide) {
            try question.authorization.require(
                assetID: opened.request.assetID.bytes,
                title: content.title?.name,
                deviceHash: party.device
            )
            try content.requireValid(at: party.now)
            let policy = try await mergedPolicy(for: content, question.authorization)
            var rental = try await self.rental(of: content, policy, party, question)
            if let rentalStart { rental?.start = rentalStart }
            return (policy, rental)
        }
        trail.policyName = policy.name
        let terms = if let rental { try policy.within(rental, at: party.now) } else { policy }
        let sealed: License = try await measured(.seal) {
            try await license(for: opened, content, terms, party, question)
        }
        return proposal(for: sealed, content, policy, rental: rental, from: opened, party, question, trail)
    }
}

extension ProblemDocument {
    /// What the audit log calls it: the rule, where a policy refused.
    fileprivate var outcome: String { type == .refusedByPolicy ? reason ?? type.name : type.name }
}
