import FPSMessages
import KeyServerModule
import KeyStore

/// Records the results of requests: in the audit log, in the metrics, on the dashboard, and as evidence of SPCs.
struct LicenseRecording: Sendable {
    /// The activity for the dashboard; nil without a dashboard.
    var activity: Activity?
    private let bundles: BundleCache
    private let store: MeasuredStore
    private let settings: LicenseSettings
    private let limits: LicenseLimits
    private let metrics: ServerMetrics?
    let refusals: RefusalBudget
    private let messages = RefusedMessages()
    private let time: ServerTime

    /// Creates the recording in a store.
    init(
        bundles: BundleCache,
        store: MeasuredStore,
        settings: LicenseSettings,
        limits: LicenseLimits,
        metrics: ServerMetrics?,
        refusals: RefusalBudget,
        time: ServerTime
    ) {
        self.bundles = bundles
        self.store = store
        self.settings = settings
        self.limits = limits
        self.metrics = metrics
        self.refusals = refusals
        self.time = time
    }

    // MARK: Results

    /// Counts the result of an attempt.
    func count(_ outcome: ServerMetrics.Outcome, reason: String? = nil, _ attempt: LicenseAttempt) {
        metrics?.license(outcome, reason: reason)
        activity?.note(attempt.event(outcome, reason: reason, at: time.milliseconds()))
    }

    /// Counts the result of a request that is not authorized, or whose keys were not decided about.
    func count(
        _ outcome: ServerMetrics.Outcome,
        reason: String? = nil,
        _ facts: RequestFacts,
        client: OtherClientKind? = nil,
        account: String? = nil
    ) {
        metrics?.license(outcome, reason: reason)
        activity?.note(
            ActivityEvent(
                milliseconds: time.milliseconds(),
                route: facts.route,
                outcome: outcome,
                reason: reason,
                microseconds: Int(facts.start.stopwatch.microseconds),
                client: client.map { ActivityEvent.Client($0) },
                account: account
            )
        )
    }

    /// Records the duration of an attempt.
    func finish(_ attempt: LicenseAttempt) { metrics?.stage(.total, took: attempt.start.stopwatch.elapsed) }

    /// Records the duration of a stage.
    func measured<Value>(
        _ stage: ServerMetrics.Stage,
        _ work: () async throws -> Value
    ) async throws -> Value {
        guard let metrics else { return try await work() }
        let start = ContinuousClock.now
        defer { metrics.stage(stage, took: ContinuousClock.now - start) }
        return try await work()
    }

    /// Writes audit records. Several are written concurrently, so that those of one request share a commit.
    func append(_ records: [AuditRecord]) async throws {
        guard records.count > 1 else {
            if let record = records.first { try await store.append(record) }
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for record in records { tasks.addTask { try await store.append(record) } }
            try await tasks.waitForAll()
        }
    }

    // MARK: Refusals

    /// Runs an authorization, and records a refusal.
    ///
    /// - Parameter subject: The requested resource, for the audit log.
    /// - Throws: The errors of `authorize`; ``ProblemType/rateLimited`` instead if too many requests of the address
    ///   were refused.
    func authorization(
        of facts: RequestFacts,
        for subject: String? = nil,
        _ authorize: () async throws -> PlaybackAuthorization
    ) async throws -> PlaybackAuthorization {
        try await recordingRefusals(of: facts, for: subject) { try await measured(.authorize, authorize) }
    }

    /// Runs a check of a request that is not authorized yet, and records a refusal.
    ///
    /// - Throws: As ``authorization(of:for:_:)``.
    func recordingRefusals<Value>(
        of facts: RequestFacts,
        for subject: String? = nil,
        _ check: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await check()
        } catch let problem as ProblemDocument {
            count(.refused, reason: problem.outcome, facts, account: problem.auditAccount)
            switch chargeRefusalBudget(for: facts.address) {
            case .recorded:
                var record = AuditRecord(
                    milliseconds: facts.start.milliseconds,
                    route: facts.route,
                    outcome: problem.outcome,
                    microseconds: facts.start.stopwatch.microseconds
                )
                let details = [subject, problem.auditDetail ?? problem.detail].compactMap { $0 }
                record.detail = details.isEmpty ? nil : details.joined(separator: "; ")
                record.account = problem.auditAccount
                record.requestID = facts.requestID
                record.remoteAddress = facts.remoteAddress
                try await store.append(record)
            case .tooMany(let seconds) where problem.type.isClientError: throw Self.tooManyRefusals(seconds)
            case .tooMany, .tooManyOfAll:
                // Requests of other clients must not change the response: the app would not learn that its token has
                // expired.
                break
            }
            throw problem
        }
    }

    /// Records that an attempt failed.
    ///
    /// - Returns: The error for the client.
    /// - Throws: `KeyStoreError` if the store cannot write the record.
    func failure(of attempt: LicenseAttempt, _ error: any Error) async throws -> any Error {
        if let refusal = LicenseRefusal(error) { return try await record(refusal, of: attempt) }
        guard let refusal = error as? GrantRefusal else {
            // Overload can refuse thousands of requests per second. Recording each of them would cost more than the
            // licenses.
            count(.failed, reason: (error as? WorkPoolError)?.problem.type.name, attempt)
            return error
        }
        // The store has recorded it.
        if refusal.code == .tampered { return tampered(attempt) }
        count(.refused, reason: refusal.code.rawValue, attempt)
        return ProblemDocument(refusal)
    }

    /// Writes the audit record of a refusal, stores the evidence of its SPC, and counts the refusal.
    ///
    /// - Returns: The problem to send to the client. A tampered message gets the same response as one that cannot be
    ///   decrypted.
    private func record(_ refusal: LicenseRefusal, of attempt: LicenseAttempt) async throws -> ProblemDocument {
        let outcome: ServerMetrics.Outcome = refusal.isFailure ? .failed : .refused
        let now = time.seconds
        let seen = refusal.authenticated.map {
            SPCEvidence($0, at: now, settings, under: bundles.module.configuration)
        }
        let evidence = seen ?? attempt.evidence
        // The evidence of an intact SPC is stored even if the request is not authorized: otherwise an altered copy of it
        // would not be recognized. A request that could not be decided is not evidence of anything.
        let isPending = attempt.pending != nil
        let match = isPending ? evidence.map { messages.match($0.sighting) } ?? .same : .new
        let isUnauthorized = isPending && (match != .new || !refusal.problem.type.isClientError)
        if refusal.problem.type == .rateLimited || isUnauthorized {
            let verdict = chargeRefusalBudget(for: attempt.facts.address)
            if verdict != .recorded {
                if match == .altered { return tampered(attempt) }
                count(outcome, reason: refusal.reason, attempt)
            }
            switch verdict {
            case .recorded: break
            case .tooMany(let seconds) where isUnauthorized && refusal.problem.type.isClientError:
                return Self.tooManyRefusals(seconds)
            case .tooMany, .tooManyOfAll: return refusal.problem
            }
        }
        let record = attempt.auditRecord(refusal.outcome, detail: refusal.detail)
        guard let evidence else {
            count(outcome, reason: refusal.reason, attempt)
            try await store.append(record)
            return refusal.problem
        }
        let result = try await store.refuse(record, evidence: evidence, now: now)
        if isPending { messages.insert(evidence.sighting) }
        switch result {
        case .recorded:
            count(outcome, reason: refusal.reason, attempt)
            return refusal.problem
        case .tampered:
            return tampered(attempt)
        }
    }

    private static func tooManyRefusals(_ retryAfter: Int) -> ProblemDocument {
        ProblemDocument(
            .rateLimited,
            detail: "Too many requests from this address were refused.",
            reason: RateLimiter.Scope.address.rawValue,
            retryAfter: retryAfter
        )
    }

    /// Counts a tampered message, which the store has recorded, and charges the account and the address for it.
    private func tampered(_ attempt: LicenseAttempt) -> ProblemDocument {
        count(.refused, reason: GrantRefusal.Code.tampered.rawValue, attempt)
        limits.chargeForTampering(attempt)
        return ProblemDocument(.unreadableSPC)
    }

    /// Takes a refusal from the budget of refusals in the audit log, and counts it if the budget is exhausted.
    private func chargeRefusalBudget(for address: ClientAddress?) -> RefusalBudget.Verdict {
        let verdict = refusals.consume(address)
        switch verdict {
        case .recorded: break
        case .tooMany: metrics?.unrecorded(by: .address)
        case .tooManyOfAll: metrics?.unrecorded(by: .server)
        }
        return verdict
    }
}
