import FPSCrypto
import FPSMessages
import KeyServerModule
import KeyStore

// Creates the proposal for the store from a CKC.

extension LicenseService {
    /// Returns the proposal: all claims of a license, with the response to send if the store grants them.
    func proposal(
        for license: License,
        _ content: ContentLookup,
        _ policy: LicensePolicy,
        rental: ActiveRental?,
        from opened: OpenedSPC,
        _ requester: Requester,
        _ attempt: Attempt,
        _ auditBuilder: AuditRecordBuilder
    ) -> GrantProposal {
        let terms = license.terms
        var proposal = GrantProposal(
            account: requester.account,
            now: requester.now,
            client: requester.client,
            sessionID: opened.request.mediaPlaybackState?.sessionID,
            assetID: content.record.info.assetID,
            answer: IssuedLicense(
                ckc: license.ckc,
                isPersistable: terms.isPersistable,
                hasDualExpiry: terms.hasDualExpiry
            ),
            audit: auditBuilder.record(
                outcome: terms.isPersistable ? "issued-persistable" : "issued",
                detail: nil,
                notes: license.notes
            )
        )
        proposal.evidence = auditBuilder.evidence
        proposal.evidence?.consider(opened.device.earlier)
        proposal.replay = replay(of: opened, policy, requester)
        proposal.binding = attempt.authorization.binding
        proposal.device = DeviceClaim(limit: policy.devices, deviceClass: opened.device.name)
        proposal.slot = slot(for: license, policy, opened, requester, attempt)
        proposal.rental = rental.map {
            RentalClaim(
                subject: $0.subject,
                duration: $0.duration ?? .max,
                start: $0.start,
                isTokensStart: $0.isTokensStart,
                bindsDevice: policy.bindRentalToDevice ?? false
            )
        }
        proposal.offline = offline(for: license, content, policy)
        return proposal
    }

    /// The additional time for which a request is stored after its SPC expires, in seconds, because the last second is
    /// included and the clocks of servers that share a store differ.
    private static let replayMargin: Int64 = 60

    /// Returns the replay claim, which lasts longer than the SPC is accepted.
    private func replay(of opened: OpenedSPC, _ policy: LicensePolicy, _ requester: Requester) -> ReplayClaim? {
        guard let seed = opened.replaySeed else { return nil }
        let window: Int64
        if let made = opened.request.mediaPlaybackState?.creationDate {
            let age = policy.maximumSPCAge ?? module.configuration.maximumSPCAge ?? settings.replayWindow
            window = max(Int64(made) - requester.now, 0) + Int64(age.rawValue)
        } else {
            window = Int64(settings.replayWindow.rawValue)
        }
        return ReplayClaim(
            key: store.replayKey(
                r1: seed,
                account: requester.account,
                certificateHash: opened.bundle.certificate.sha1
            ),
            expires: requester.now + max(window, Int64(settings.retryGrace.rawValue)) + Self.replayMargin,
            grace: Int64(settings.retryGrace.rawValue)
        )
    }

    /// Returns the claim for a stream slot, which lasts as long as the lease in the policy. Persistent keys occupy no
    /// slot, because they have no lease. Neither do keys whose lease only results from the token's `notAfter`, which
    /// may be a month away.
    private func slot(
        for license: License,
        _ policy: LicensePolicy,
        _ opened: OpenedSPC,
        _ requester: Requester,
        _ attempt: Attempt
    ) -> SlotClaim? {
        guard policy.lease != nil, let duration = license.terms.duration,
            [.lease, .leaseAndRental].contains(duration.keyType)
        else {
            return nil
        }
        let purpose: SlotClaim.Purpose =
            switch opened.request.mediaPlaybackState?.state {
            case MediaPlaybackState.State.leaseAboutToExpire?: .renewal
            default: attempt.isPreload ? .reservation : .playback
            }
        return SlotClaim(
            limit: policy.streams,
            until: requester.now + Int64(duration.lease) + Int64(settings.leaseSkew.rawValue),
            purpose: purpose
        )
    }

    private func offline(for license: License, _ content: ContentLookup, _ policy: LicensePolicy) -> OfflineClaim? {
        guard license.terms.isPersistable else { return nil }
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
