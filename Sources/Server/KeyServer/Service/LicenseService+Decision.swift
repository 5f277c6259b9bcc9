import FPSMessages
import KeyServerModule
import KeyStore

// Makes a license for a decrypted SPC, based on cached content or on content from the store.

extension LicenseService {
    /// An error that means that the cached content may be out of date.
    struct StaleContent: Error {}

    /// Reads the content from the store.
    func lookUp(_ opened: OpenedSPC, _ requester: Requester, _ attempt: Attempt) async throws -> ContentLookup {
        let assetID = opened.request.assetID.bytes
        guard let content = try await store.lookup(name: assetID) else {
            try attempt.authorization.require(assetID: assetID, title: nil, deviceHash: requester.device)
            throw ProblemDocument(.unknownAsset)
        }
        return content
    }

    /// Determines the terms, creates the CKC and records the grant in the store.
    ///
    /// - Throws: ``StaleContent`` if the catalog has changed since the content was looked up, or may have.
    func grant(
        by content: ContentLookup,
        isCached: Bool,
        _ opened: OpenedSPC,
        _ requester: Requester,
        _ attempt: Attempt,
        _ auditBuilder: inout AuditRecordBuilder
    ) async throws -> Outcome {
        auditBuilder.note(assetID: content.record.info.assetID)
        var opened = opened
        var start: Int64?
        while true {
            var proposal: GrantProposal
            do {
                proposal = try await self.proposal(
                    by: content,
                    rentalStart: start,
                    opened,
                    requester,
                    attempt,
                    &auditBuilder
                )
            } catch  where isCached {
                throw StaleContent()
            }
            if isCached { proposal.catalogVersion = content.catalogVersion }
            switch try await measured(.store, { [proposal] in try await store.grant(proposal) }) {
            case .granted:
                count(proposal.answer.isPersistable ? .issuedPersistable : .issued, auditBuilder)
                return .license(proposal.answer)
            case .retried(let answer):
                count(.retried, auditBuilder)
                return .license(answer)
            case .refused(let refusal): throw refusal
            case .rentalStarted(let other): start = other
            case .catalogChanged: throw StaleContent()
            case .deviceReported(let report): opened = opened.bound(by: RestrictingReports(report))
            }
        }
    }

    /// Checks the request against policies and authorization, creates the CKC, and returns the proposal for the store.
    ///
    /// - Parameter rentalStart: The start of the rental, if the store has another one than was read.
    private func proposal(
        by content: ContentLookup,
        rentalStart: Int64?,
        _ opened: OpenedSPC,
        _ requester: Requester,
        _ attempt: Attempt,
        _ auditBuilder: inout AuditRecordBuilder
    ) async throws -> GrantProposal {
        let assetID = content.record.info.assetID
        let (policy, rental): (LicensePolicy, ActiveRental?) = try await measured(.decide) {
            try attempt.requireAuthorized(assetID)
            try attempt.authorization.require(
                assetID: assetID,
                title: content.title?.name,
                deviceHash: requester.device
            )
            let policy = try await mergedPolicy(for: content, attempt.authorization)
            auditBuilder.evidence?.sighting.expires = requester.now + sightingWindow(policy)
            try content.requireValid(at: requester.now, under: policy)
            var rental = try await self.rental(of: content, policy, requester, attempt)
            if let rentalStart { rental?.start = rentalStart }
            return (policy, rental)
        }
        auditBuilder.policyName = policy.name
        if activity != nil { auditBuilder.facts = facts(of: opened, content, requester, attempt) }
        let terms = if let rental { try policy.within(rental, at: requester.now) } else { policy }
        let newLicense: License = try await measured(.seal) {
            try await license(for: opened, content, terms, requester, attempt)
        }
        return proposal(
            for: newLicense,
            content,
            policy,
            rental: rental,
            from: opened,
            requester,
            attempt,
            auditBuilder
        )
    }

    private func facts(
        of opened: OpenedSPC,
        _ content: ContentLookup,
        _ requester: Requester,
        _ attempt: Attempt
    ) -> RequestProperties {
        RequestProperties(
            opened,
            track: TrackKind(content.kind),
            streamID: content.streamID,
            titleID: content.titleID,
            wantsPersistable: attempt.wantsPersistableKey && attempt.authorization.persist != false,
            at: requester.now,
            remoteAddress: attempt.address?.description,
            origin: attempt.origin
        )
    }
}
