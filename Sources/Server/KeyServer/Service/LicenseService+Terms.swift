import FPSMessages
import KeyServerModule
import KeyStore
import TextCoding

/// The account and device that request a key, for limits.
struct Requester {
    /// The account that limits apply to.
    let account: String
    /// The device; nil for a digital AV adapter.
    let device: DeviceHash?
    /// The device or session that receives the key.
    let client: PlaybackClient
    /// The time, in Unix seconds.
    let now: Int64
}

/// A rental that is active or about to start.
struct ActiveRental {
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

// Creates a CKC from content and policies.

extension LicenseService {
    /// Returns the account and device of a request. Without authorization, each device is a separate account, so that
    /// limits still apply.
    func requester(of opened: OpenedSPC, _ attempt: Attempt) throws -> Requester {
        let device = opened.deviceID.map { store.deviceHash(hu: $0) }
        let client: PlaybackClient
        if let device {
            client = .device(device)
        } else {
            // An SPC from an AV adapter identifies only the session. Without a session ID, the transaction ID is used
            // instead.
            let request = opened.request
            client = .session(request.mediaPlaybackState?.sessionID ?? request.transactionID?.number ?? 0)
        }
        let account = attempt.authorization.isAnonymous ? "device-\(client.name)" : attempt.authorization.account
        return Requester(account: account, device: device, client: client, now: clock() / 1000)
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
                found.count == 1 ? found[0] : try LicensePolicy.strictest(found, under: module.configuration)
            return loose.map { policy.loosened(by: $0) } ?? policy
        } catch {
            throw KSMError(.policy, .policyInvalid, "\(found.compactMap(\.name).joined(separator: "+")): \(error)")
        }
    }

    /// Returns the rental if the policy has one, with its known start.
    func rental(
        of content: ContentLookup,
        _ policy: LicensePolicy,
        _ requester: Requester,
        _ attempt: Attempt
    ) async throws -> ActiveRental? {
        guard policy.hasRental else { return nil }
        let duration = policy.rentalLength
        let subject: RentalSubject =
            content.title.map { .title($0.name) } ?? .asset(content.record.info.assetID)
        if policy.rentalStart == .token {
            guard let start = attempt.authorization.rentalStart else {
                throw ProblemDocument(.refusedByPolicy, reason: "rental-start-missing")
            }
            return ActiveRental(subject: subject, duration: duration, start: start, isTokensStart: true)
        }
        let stored = try await store.rental(account: requester.account, subject: subject)
        return ActiveRental(
            subject: subject,
            duration: duration,
            start: stored?.start ?? requester.now,
            isTokensStart: false
        )
    }

    /// Creates the CKC if the rules allow it. Encryption takes a few microseconds and runs on the current thread,
    /// unless a plug-in performs it, which may take longer.
    func license(
        for opened: OpenedSPC,
        _ content: ContentLookup,
        _ policy: LicensePolicy,
        _ requester: Requester,
        _ attempt: Attempt
    ) async throws -> License {
        var policy = policy
        if attempt.isPreload, let lease = policy.lease { policy.lease = min(lease, settings.reservation) }
        if let end = attempt.authorization.notAfter {
            guard let remaining = Seconds(remaining: end - requester.now) else {
                throw ProblemDocument(.refusedByPolicy, detail: "The token's notAfter has passed.", reason: "not-after")
            }
            policy = policy.capped(to: remaining)
        }
        let moduleContent = try Content(content)
        let (module, terms) = (module, policy)
        let isWanted = attempt.wantsPersistableKey && attempt.authorization.persist != false
        let seal: @Sendable () -> Result<License, KSMError> = {
            Result { () throws(KSMError) in
                try module.license(
                    for: opened,
                    content: moduleContent,
                    policy: terms,
                    wantsPersistable: isWanted,
                    at: requester.now,
                    remoteAddress: attempt.address?.description,
                    origin: attempt.origin
                )
            }
        }
        return try opened.isSealedByPlugin ? await pool.run(seal).get() : seal().get()
    }
}

extension LicensePolicy {
    /// Returns the policy with its rental limited to the remaining time.
    func within(_ rental: ActiveRental, at now: Int64) throws(ProblemDocument) -> LicensePolicy {
        guard let left = rental.remaining(at: now) else { return self }
        guard let remaining = Seconds(remaining: left) else {
            throw ProblemDocument(.refusedByPolicy, detail: "The rental has expired.", reason: "rental-expired")
        }
        return withRental(remaining: remaining)
    }
}

extension Seconds {
    /// Creates a duration from the remaining seconds, limited to the maximum of a TLLV field; nil if no time remains.
    init?(remaining: Int64) {
        guard remaining > 0 else { return nil }
        self = min(Seconds(rawValue: UInt32(clamping: remaining)), .maximum)
    }
}

extension ContentLookup {
    /// Checks the validity of a key period. Before its start and after its end there is no key, except for the times
    /// that the policy allows.
    func requireValid(at now: Int64, under policy: LicensePolicy) throws(ProblemDocument) {
        let info = record.info
        if let from = info.validFrom, now + Int64(policy.preload?.rawValue ?? 0) < from {
            throw ProblemDocument(.refusedByPolicy, detail: "The key is not valid yet.", reason: "key-not-valid")
        }
        if let until = info.validUntil, now - Int64(policy.catchUp?.rawValue ?? 0) >= until {
            throw ProblemDocument(.refusedByPolicy, detail: "The key is no longer valid.", reason: "key-not-valid")
        }
    }
}

extension Content {
    fileprivate init(_ lookup: ContentLookup) throws(KeyStoreError) {
        // The store checks on reading and writing that both have 16 bytes, so neither is nil.
        guard let key = LicensedKey(key: lookup.record.contentKey, iv: lookup.record.iv),
            let content = Content(
                key: key,
                track: TrackKind(lookup.kind),
                streamID: lookup.streamID,
                titleID: lookup.titleID,
                assetID: lookup.record.info.assetID
            )
        else { throw KeyStoreError(.corrupt, place: "content", reason: "the key, IV or ID is not 16 bytes") }
        self = content
    }
}

extension PlaybackClient {
    /// The device hash or session ID in hexadecimal.
    var name: String {
        switch self {
        case .device(let device): Hexadecimal.encode(device.bytes)
        case .session(let session): Hexadecimal.encode(session, digits: 1)
        }
    }
}
