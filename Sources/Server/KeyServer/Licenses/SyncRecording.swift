import FPSMessages
import KeyServerModule
import KeyStore

/// Records the reports of devices about their persistent keys.
struct SyncRecording: Sendable {
    private let bundles: BundleCache
    private let store: MeasuredStore

    /// Creates the recording in a store.
    init(bundles: BundleCache, store: MeasuredStore) {
        self.bundles = bundles
        self.store = store
    }

    /// Records the report in a Sync SPC. The response never contains a key.
    func record(_ sync: Sync, in attempt: inout LicenseAttempt) async throws -> SyncReport {
        let sender = try attempt.opening.get()
        let opened = sender.spc
        let made = opened.request.mediaPlaybackState?.creationDate
        if let made,
            case .refuse(let refusal) = SPCAgeCheck.decide(
                made: made,
                configuration: bundles.module.configuration,
                now: sender.now
            )
        {
            throw refusal
        }
        // A device may report on content that has been deleted.
        let content = try await store.lookup(name: opened.request.assetID.bytes)
        let assetID = content?.record.info.assetID ?? opened.request.assetID.bytes
        attempt.assetID = assetID
        try attempt.requireAuthorized(assetID)
        try attempt.authorization.require(assetID: assetID, title: content?.title?.name, deviceHash: sender.device)
        guard let device = sender.device else {
            throw ProblemDocument(.refusedByPolicy, detail: "The SPC has no device ID.", reason: "no-device")
        }
        var claim = SyncClaim(
            account: sender.account,
            device: device,
            now: sender.now,
            streamID: nil,
            titleID: nil,
            message: .report(remaining: nil),
            audit: attempt.auditRecord("sync-report")
        )
        claim.challengeAccount = attempt.authorization.account
        claim.evidence = attempt.evidence
        claim.made = made.map { Int64($0) }
        switch sync {
        case .version1(let contentID, let expiry, _):
            claim.streamID = contentID
            claim.message = .report(remaining: expiry.remaining)
        case .version2(let fields):
            claim.titleID = fields.titleID
            claim.assetID = assetID
            claim.message = fields.message
            claim.audit = attempt.auditRecord(claim.message.outcome)
            // Only a device that declares the capability supports secure invalidation.
            guard claim.challenge == nil || opened.device.capabilities.has(.secureInvalidation) else {
                throw ProblemDocument(.refusedByPolicy, reason: "invalidation-unsupported")
            }
            guard fields.invalidatedStreamIDs.count <= SyncClaim.maximumStreamIDs else {
                throw ProblemDocument(
                    .refusedByPolicy,
                    detail: "The SPC lists \(fields.invalidatedStreamIDs.count) stream IDs; the maximum is "
                        + "\(SyncClaim.maximumStreamIDs).",
                    reason: "too-many-stream-ids"
                )
            }
        }
        switch try await store.record(claim) {
        case .recorded: return SyncReport(sync, assetID: assetID)
        case .refused(let refusal): throw refusal
        }
    }
}

extension Sync.Expiry {
    /// The remaining time in seconds; nil if there is no end.
    fileprivate var remaining: Int64? { self == .never ? nil : Int64(rawValue) }
}

extension Sync.Version2 {
    /// The meaning of the flags (Table 6-4). An invalidation counts only together with the success flag. The flag for
    /// an expired key may be set in addition.
    fileprivate var message: SyncClaim.Message {
        guard flags.contains(.secureInvalidation) || flags.contains(.secureInvalidationAll) else {
            // A missing key has no remaining time. A report does not prove that, so it does not free a slot.
            return .report(remaining: flags.contains(.objectNotFound) ? nil : expiry.remaining)
        }
        let hadExpired = flags.contains(.objectExpired)
        if flags.contains(.success) {
            return .invalidated(
                streamIDs: invalidatedStreamIDs,
                hadExpired: hadExpired,
                challenge: serverChallenge
            )
        }
        if flags.contains(.objectNotFound) { return .notFound(challenge: serverChallenge) }
        // Without an outcome, nothing was done. Devices set the time to zero in this case, so it is ignored.
        return hadExpired ? .expired(challenge: serverChallenge) : .report(remaining: nil)
    }
}

extension SyncClaim.Message {
    /// The outcome in the audit log.
    fileprivate var outcome: String {
        switch self {
        case .report: "sync-report"
        case .invalidated: "sync-invalidation"
        case .notFound: "sync-not-found"
        case .expired: "sync-expired"
        }
    }
}
