import FPSMessages
import KeyServerModule
import KeyStore

// Makes a license for a decrypted SPC, based on cached content or on content from the store.

extension LicenseService {
    /// An error that means that the cached content may be out of date.
    struct OutOfDate: Error {}

    /// Reads the content from the store.
    func lookUp(_ opened: OpenedSPC, _ party: Party, _ question: Question) async throws -> ContentLookup {
        let assetID = opened.request.assetID.bytes
        guard let content = try await store.lookup(name: assetID) else {
            try question.authorization.require(assetID: assetID, title: nil, deviceHash: party.device)
            throw ProblemDocument(.unknownAsset)
        }
        return content
    }

    /// Determines the terms, creates the CKC and records the grant in the store.
    ///
    /// - Throws: ``OutOfDate`` if the catalog has changed since the content was looked up, or may have.
    func grant(
        by content: ContentLookup,
        isRemembered: Bool,
        _ opened: OpenedSPC,
        _ party: Party,
        _ question: Question,
        _ trail: inout AuditTrail
    ) async throws -> Outcome {
        trail.note(assetID: content.record.info.assetID)
        var opened = opened
        var start: Int64?
        while true {
            var proposal: GrantProposal
            do {
                proposal = try await self.proposal(by: content, rentalStart: start, opened, party, question, &trail)
            } catch  where isRemembered {
                throw OutOfDate()
            }
            if isRemembered { proposal.catalogVersion = content.catalogVersion }
            switch try await measured(.store, { [proposal] in try await store.grant(proposal) }) {
            case .granted:
                count(proposal.answer.isPersistable ? .issuedPersistable : .issued, trail)
                return .license(proposal.answer)
            case .retried(let answer):
                count(.retried, trail)
                return .license(answer)
            case .refused(let refusal): throw refusal
            case .rentalStarted(let other): start = other
            case .catalogChanged: throw OutOfDate()
            case .deviceReported(let report): opened = opened.bound(by: EarlierReports(report))
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
        _ party: Party,
        _ question: Question,
        _ trail: inout AuditTrail
    ) async throws -> GrantProposal {
        let assetID = content.record.info.assetID
        let (policy, rental): (LicensePolicy, RunningRental?) = try await measured(.decide) {
            try question.requireAuthorized(assetID)
            try question.authorization.require(
                assetID: assetID,
                title: content.title?.name,
                deviceHash: party.device
            )
            let policy = try await mergedPolicy(for: content, question.authorization)
            trail.evidence?.sighting.expires = party.now + sightingWindow(policy)
            try content.requireValid(at: party.now, under: policy)
            var rental = try await self.rental(of: content, policy, party, question)
            if let rentalStart { rental?.start = rentalStart }
            return (policy, rental)
        }
        trail.policyName = policy.name
        if activity != nil { trail.facts = facts(of: opened, content, party, question) }
        let terms = if let rental { try policy.within(rental, at: party.now) } else { policy }
        let sealed: License = try await measured(.seal) {
            try await license(for: opened, content, terms, party, question)
        }
        return proposal(for: sealed, content, policy, rental: rental, from: opened, party, question, trail)
    }

    private func facts(
        of opened: OpenedSPC,
        _ content: ContentLookup,
        _ party: Party,
        _ question: Question
    ) -> RequestFacts {
        RequestFacts(
            opened,
            track: TrackKind(content.kind),
            streamID: content.streamID,
            titleID: content.titleID,
            wantsPersistable: question.wantsPersistableKey && question.authorization.persist != false,
            at: party.now,
            remoteAddress: question.address?.description,
            origin: question.origin
        )
    }
}
