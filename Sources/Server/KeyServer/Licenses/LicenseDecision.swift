import FPSMessages
import KeyServerModule
import KeyStore

/// The terms for a key.
struct LicenseTerms: Sendable {
    /// The content, with its key.
    let content: ContentLookup
    /// The merged policy.
    let policy: LicensePolicy
    /// The rental, if the policy has one.
    let rental: ActiveRental?
}

/// A rental that is active or about to start.
struct ActiveRental: Sendable {
    let subject: RentalSubject
    /// The duration in seconds; nil if there is no end.
    let duration: Int64?
    var start: Int64
    let isTokensStart: Bool

    /// Returns the remaining time in seconds; nil if there is no end.
    func remaining(at now: Int64) -> Int64? {
        duration.map { GrantRules.later(GrantRules.later(start, by: $0), by: -now) }
    }
}

/// Decides about licenses by content, policies and authorization, and creates CKCs.
struct LicenseDecision: Sendable {
    private let bundles: BundleCache
    private let store: MeasuredStore
    private let pool: BoundedWorkPool
    private let settings: LicenseSettings
    private let policies = PolicyCache()

    /// Creates the decision for a server.
    init(bundles: BundleCache, store: MeasuredStore, pool: BoundedWorkPool, settings: LicenseSettings) {
        self.bundles = bundles
        self.store = store
        self.pool = pool
        self.settings = settings
    }

    /// Returns the terms of a license for the SPC, after checking authorization, policy and rental.
    ///
    /// - Parameter rentalStart: The start of the rental, if the store has another one than was read.
    func terms(
        of content: ContentLookup,
        for attempt: inout LicenseAttempt,
        rentalStart: Int64?
    ) async throws -> LicenseTerms {
        let sender = try attempt.opening.get()
        let assetID = content.record.info.assetID
        try attempt.requireAuthorized(assetID)
        try attempt.authorization.require(
            assetID: assetID,
            title: content.title?.name,
            deviceHash: sender.device
        )
        let policy = try await mergedPolicy(for: content, attempt.authorization)
        let window = settings.sightingWindow(under: bundles.module.configuration, policy)
        attempt.evidence?.sighting.expires = sender.now + window
        try content.requireValid(at: sender.now, under: policy)
        var rental = try await rental(of: content, policy, sender, attempt.authorization)
        if let rentalStart { rental?.start = rentalStart }
        return LicenseTerms(content: content, policy: policy, rental: rental)
    }

    /// Returns the merged policies of title, track, content and token. Content without a policy uses the one named
    /// `default`.
    func mergedPolicy(
        for content: ContentLookup,
        _ authorization: PlaybackAuthorization
    ) async throws -> LicensePolicy {
        var found = try content.policies.map { record throws(KSMError) in try policies.policy(record) }
        if found.isEmpty { found = [.default] }
        var loose: LicensePolicy?
        if let name = authorization.policyName {
            guard let record = try await store.policy(name: name) else {
                throw KSMError(.policy, .policyInvalid, "the token names the policy \(name), which does not exist")
            }
            let policy = try policies.policy(record)
            if authorization.allowPolicyOverride { loose = policy } else { found.append(policy) }
        }
        do {
            let policy =
                found.count == 1
                ? found[0] : try LicensePolicy.strictest(found, under: bundles.module.configuration)
            return loose.map { policy.loosened(by: $0) } ?? policy
        } catch {
            throw KSMError(.policy, .policyInvalid, "\(found.compactMap(\.name).joined(separator: "+")): \(error)")
        }
    }

    /// Returns the rental if the policy has one, with its known start.
    private func rental(
        of content: ContentLookup,
        _ policy: LicensePolicy,
        _ sender: SPCSender,
        _ authorization: PlaybackAuthorization
    ) async throws -> ActiveRental? {
        guard policy.hasRental else { return nil }
        let duration = policy.rentalLength
        let subject: RentalSubject =
            content.title.map { .title($0.name) } ?? .asset(content.record.info.assetID)
        if policy.rentalStart == .token {
            guard let start = authorization.rentalStart else {
                throw ProblemDocument(.refusedByPolicy, reason: "rental-start-missing")
            }
            return ActiveRental(subject: subject, duration: duration, start: start, isTokensStart: true)
        }
        let stored = try await store.rental(account: sender.account, subject: subject)
        return ActiveRental(
            subject: subject,
            duration: duration,
            start: stored?.start ?? sender.now,
            isTokensStart: false
        )
    }

    /// Creates the CKC if the rules allow it, with the terms limited to the remaining time of the rental and of the
    /// token. Encryption takes a few microseconds and runs on the current thread, unless a plug-in performs it, which
    /// may take longer.
    func license(for attempt: LicenseAttempt, by terms: LicenseTerms) async throws -> License {
        let sender = try attempt.opening.get()
        let policy = try limitedPolicy(terms, for: attempt, at: sender.now)
        let content = try Content(terms.content)
        let (module, opened) = (bundles.module, sender.boundSPC)
        let (isWanted, now) = (attempt.wantsPersistableKey, sender.now)
        let (remoteAddress, origin) = (attempt.facts.remoteAddress, attempt.facts.origin)
        let seal: @Sendable () -> Result<License, KSMError> = {
            Result { () throws(KSMError) in
                try module.license(
                    for: opened,
                    content: content,
                    policy: policy,
                    wantsPersistable: isWanted,
                    at: now,
                    remoteAddress: remoteAddress,
                    origin: origin
                )
            }
        }
        return try opened.isSealedByPlugin ? await pool.run(seal).get() : seal().get()
    }

    /// Returns the policy for the CKC, limited to the remaining time.
    private func limitedPolicy(
        _ terms: LicenseTerms,
        for attempt: LicenseAttempt,
        at now: Int64
    ) throws(ProblemDocument) -> LicensePolicy {
        var policy = terms.policy
        if let left = terms.rental?.remaining(at: now) {
            guard let remaining = Seconds(remaining: left) else {
                throw ProblemDocument(.refusedByPolicy, detail: "The rental has expired.", reason: "rental-expired")
            }
            policy = policy.withRental(remaining: remaining)
        }
        if attempt.isPreload, let lease = policy.lease { policy.lease = min(lease, settings.reservation) }
        if let end = attempt.authorization.notAfter {
            guard let remaining = Seconds(remaining: end - now) else {
                throw ProblemDocument(.refusedByPolicy, detail: "The token's notAfter has passed.", reason: "not-after")
            }
            policy = policy.capped(to: remaining)
        }
        return policy
    }
}

extension Seconds {
    /// Creates a duration from the remaining seconds, limited to the maximum of a TLLV field; nil if no time remains.
    fileprivate init?(remaining: Int64) {
        guard remaining > 0 else { return nil }
        self = min(Seconds(rawValue: UInt32(clamping: remaining)), .maximum)
    }
}
