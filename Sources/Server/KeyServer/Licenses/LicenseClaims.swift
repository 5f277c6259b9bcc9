import FPSCrypto
import FPSMessages
import KeyServerModule
import KeyStore

/// Creates the claims of licenses, which the store grants.
struct LicenseClaims: Sendable {
    private let bundles: BundleCache
    private let store: MeasuredStore
    private let settings: LicenseSettings

    /// Creates the claims for a store.
    init(bundles: BundleCache, store: MeasuredStore, settings: LicenseSettings) {
        self.bundles = bundles
        self.store = store
        self.settings = settings
    }

    /// Returns the proposal: all claims of a license, with the response to send if the store grants them.
    func proposal(
        for license: License,
        by terms: LicenseTerms,
        to attempt: LicenseAttempt
    ) throws -> GrantProposal {
        let sender = try attempt.opening.get()
        let (opened, policy) = (sender.boundSPC, terms.policy)
        let isPersistable = license.terms.isPersistable
        var proposal = GrantProposal(
            account: sender.account,
            now: sender.now,
            client: sender.client,
            sessionID: opened.request.mediaPlaybackState?.sessionID,
            assetID: terms.content.record.info.assetID,
            answer: IssuedLicense(
                ckc: license.ckc,
                isPersistable: isPersistable,
                hasDualExpiry: license.terms.hasDualExpiry
            ),
            audit: attempt.auditRecord(isPersistable ? "issued-persistable" : "issued", notes: license.notes)
        )
        proposal.evidence = attempt.evidence
        proposal.evidence?.consider(opened.device.earlier)
        proposal.replay = replay(of: sender, policy)
        proposal.binding = attempt.authorization.binding
        proposal.device = DeviceClaim(limit: policy.devices, deviceClass: opened.device.name)
        proposal.slot = slot(for: license, policy, sender, isPreload: attempt.isPreload)
        proposal.rental = terms.rental.map {
            RentalClaim(
                subject: $0.subject,
                duration: $0.duration ?? .max,
                start: $0.start,
                isTokensStart: $0.isTokensStart,
                bindsDevice: policy.bindRentalToDevice ?? false
            )
        }
        proposal.offline = offline(for: license, terms)
        return proposal
    }

    /// The additional time for which a request is stored after its SPC expires, in seconds, because the last second is
    /// included and the clocks of servers that share a store differ.
    private static let replayMargin: Int64 = 60

    /// Returns the replay claim, which lasts longer than the SPC is accepted.
    private func replay(of sender: SPCSender, _ policy: LicensePolicy) -> ReplayClaim? {
        let opened = sender.boundSPC
        guard let seed = opened.replaySeed else { return nil }
        let window: Int64
        if let made = opened.request.mediaPlaybackState?.creationDate {
            let age = policy.maximumSPCAge ?? bundles.module.configuration.maximumSPCAge ?? settings.replayWindow
            window = max(Int64(made) - sender.now, 0) + Int64(age.rawValue)
        } else {
            window = Int64(settings.replayWindow.rawValue)
        }
        return ReplayClaim(
            key: store.replayKey(
                r1: seed,
                account: sender.account,
                certificateHash: opened.bundle.certificate.sha1
            ),
            expires: sender.now + max(window, Int64(settings.retryGrace.rawValue)) + Self.replayMargin,
            grace: Int64(settings.retryGrace.rawValue)
        )
    }

    /// Returns the claim for a stream slot, which lasts as long as the lease in the policy. Persistent keys occupy no
    /// slot, because they have no lease. Neither do keys whose lease only results from the token's `notAfter`, which
    /// may be a month away.
    private func slot(
        for license: License,
        _ policy: LicensePolicy,
        _ sender: SPCSender,
        isPreload: Bool
    ) -> SlotClaim? {
        guard policy.lease != nil, let duration = license.terms.duration,
            [.lease, .leaseAndRental].contains(duration.keyType)
        else {
            return nil
        }
        let purpose: SlotClaim.Purpose =
            switch sender.boundSPC.request.mediaPlaybackState?.state {
            case MediaPlaybackState.State.leaseAboutToExpire?: .renewal
            default: isPreload ? .reservation : .playback
            }
        return SlotClaim(
            limit: policy.streams,
            until: sender.now + Int64(duration.lease) + Int64(settings.leaseSkew.rawValue),
            purpose: purpose
        )
    }

    private func offline(for license: License, _ terms: LicenseTerms) -> OfflineClaim? {
        guard license.terms.isPersistable else { return nil }
        let (content, policy) = (terms.content, terms.policy)
        let renewAfterExpiry = policy.renewAfterExpiry ?? true
        func limit(_ seconds: UInt32) -> Int64? { seconds == 0 ? nil : Int64(seconds) }
        if let key = license.terms.offlineKey {
            return OfflineClaim(
                streamID: key.streamID,
                titleID: key.titleID,
                storage: limit(key.storage),
                playback: limit(key.playback),
                hasDualExpiry: true,
                renewAfterExpiry: renewAfterExpiry
            )
        }
        let validity = license.terms.duration.flatMap { limit($0.rental) }
        return OfflineClaim(
            streamID: content.streamID ?? ContentDefaults.streamID(forAssetID: content.record.info.assetID),
            titleID: content.titleID,
            storage: validity,
            playback: validity,
            hasDualExpiry: false,
            renewAfterExpiry: renewAfterExpiry
        )
    }
}
