/// The decision on a proposal: pure, the same for every store.
///
/// A session that was ended gets nothing, not even what it got before. Then the claims are held in this order: replay,
/// token binding, device, rental, slot, offline. The first that does not hold refuses, and then nothing is taken for the
/// others either.
package enum GrantRules {
    /// How long an ended session is remembered after its lease has run out, in seconds, so that it stays refused.
    package static let endedLeaseMemory: Int64 = 86_400
    /// How long a token's binding is remembered after the token has expired, in seconds: whoever checks tokens may be
    /// lenient about the clock.
    package static let bindingMemory: Int64 = 3_600

    /// Decides, and leaves in `state` what is to be kept. Unless the outcome is ``GrantOutcome/granted``, only
    /// ``GrantState/memory`` changes.
    package static func decide(_ proposal: GrantProposal, _ state: inout GrantState) -> GrantOutcome {
        if let evidence = proposal.evidence {
            switch admit(evidence, at: proposal.now, &state.memory) {
            case .admitted: break
            case .tampered: return .refused(tampered)
            case .reported(let report): return .deviceReported(report)
            }
        }
        if let ended = state.endedSession, ended.forgetAt > proposal.now {
            return .refused(GrantRefusal(.leaseEnded, "the session was ended"))
        }
        if let replay = state.replay, replay.expires > proposal.now {
            guard proposal.now < replay.retryUntil, let answer = replay.answer else {
                return .refused(GrantRefusal(.replayed, "the same request was answered before"))
            }
            return .retried(answer)
        }
        var next = state
        do throws(GrantRefusal) {
            if let claim = proposal.binding { try bind(claim, proposal, &next) }
            if let claim = proposal.device { try admit(claim, proposal, &next) }
            if let claim = proposal.rental, let start = try rent(claim, proposal, &next) {
                return .rentalStarted(at: start)
            }
            if let claim = proposal.slot { try takeSlot(claim, proposal, &next) }
            if let claim = proposal.offline { try keep(claim, proposal, &next) }
        } catch {
            return .refused(error)
        }
        if let claim = proposal.replay {
            let retryUntil = later(proposal.now, by: max(claim.grace, 0))
            // A claim that is over before its retries are would let the request through as a new one.
            next.replay = ReplayRecord(
                key: claim.key,
                retryUntil: retryUntil,
                expires: max(claim.expires, retryUntil),
                answer: proposal.answer
            )
        }
        state = next
        return .granted
    }

    /// The audit record that is written with an outcome; nil when none is.
    package static func auditRecord(of proposal: GrantProposal, _ outcome: GrantOutcome) -> AuditRecord? {
        var record = proposal.audit
        switch outcome {
        case .granted: break
        case .retried: record.replaceOutcome("retried", "the same request again: it got the same answer")
        case .refused(let refusal): record.replaceOutcome(refusal.code.rawValue, refusal.reason)
        case .rentalStarted, .catalogChanged, .deviceReported: return nil
        }
        return record
    }

    private static func bind(
        _ claim: TokenBindingClaim,
        _ proposal: GrantProposal,
        _ state: inout GrantState
    ) throws(GrantRefusal) {
        guard let bound = state.binding else {
            state.binding = TokenBindingRecord(
                token: claim.token,
                account: proposal.account,
                place: proposal.place,
                sessionID: proposal.sessionID,
                expires: claim.expires
            )
            return
        }
        // By bytes: Swift takes two spellings of one letter for equal, a database does not.
        guard bound.account.utf8.elementsEqual(proposal.account.utf8), bound.place == proposal.place,
            bound.sessionID == proposal.sessionID
        else {
            throw GrantRefusal(.tokenBoundElsewhere, "the token is for one use, and was used elsewhere")
        }
        // A webhook may say with every answer until when: the binding lasts as long as the last of them.
        state.binding?.expires = max(bound.expires, claim.expires)
    }

    private static func admit(
        _ claim: DeviceClaim,
        _ proposal: GrantProposal,
        _ state: inout GrantState
    ) throws(GrantRefusal) {
        guard let device = proposal.place.device else { return }
        let deviceClass = claim.deviceClass.map { clipped($0, 100) }
        if let known = state.device {
            state.device?.lastSeen = max(known.lastSeen, proposal.now)
            state.device?.deviceClass = deviceClass ?? known.deviceClass
            return
        }
        if let limit = claim.limit, state.otherDevices >= limit {
            throw GrantRefusal(.devicesExceeded, "the account has \(state.otherDevices) devices, the limit is \(limit)")
        }
        state.device = DeviceRecord(
            account: proposal.account,
            device: device,
            deviceClass: deviceClass,
            firstSeen: proposal.now,
            lastSeen: proposal.now
        )
    }

    /// The start that the answer should have been made for, if it is another one.
    private static func rent(
        _ claim: RentalClaim,
        _ proposal: GrantProposal,
        _ state: inout GrantState
    ) throws(GrantRefusal) -> Int64? {
        var known = state.rental
        if claim.isTokensStart, let former = known, claim.start > former.start { known = nil }
        // The start was read from a rental that has been forgotten since.
        if known == nil, !claim.isTokensStart, claim.start != proposal.now { return proposal.now }
        var rental =
            known
            ?? RentalRecord(
                account: proposal.account,
                subject: claim.subject,
                start: claim.start,
                end: claim.start,
                place: proposal.place
            )
        rental.end = later(rental.start, by: claim.duration)
        guard rental.end > proposal.now else { throw GrantRefusal(.rentalExpired, "the rental is over") }
        if claim.bindsDevice {
            guard proposal.place.device != nil else {
                throw GrantRefusal(.rentalNeedsDevice, "the rental is for one device, and an adapter hides which it is")
            }
            // Begun behind an adapter, under a policy that did not bind it: the first device has it.
            if rental.place.device == nil { rental.place = proposal.place }
            if rental.place != proposal.place {
                throw GrantRefusal(.rentalOnOtherDevice, "the rental belongs to the device of its first license")
            }
        }
        guard rental.start == claim.start else { return rental.start }
        state.rental = rental
        return nil
    }

    private static func takeSlot(
        _ claim: SlotClaim,
        _ proposal: GrantProposal,
        _ state: inout GrantState
    ) throws(GrantRefusal) {
        let own = state.lease
        let holds = own.map { $0.until > proposal.now } ?? false
        let isSameSession = own.map { $0.sessionID == proposal.sessionID } ?? false
        // A session keeps the slot that it has, also when the others got theirs under a laxer policy.
        if let limit = claim.limit, state.otherLeases >= limit, !(holds && isSameSession) {
            throw GrantRefusal(
                .streamsExceeded,
                "\(state.otherLeases) others are playing on this account, the limit is \(limit)"
            )
        }
        guard var lease = own, holds else {
            state.lease = LeaseRecord(
                account: proposal.account,
                place: proposal.place,
                sessionID: proposal.sessionID,
                assetID: proposal.assetID,
                since: proposal.now,
                until: max(claim.until, own?.until ?? claim.until),
                purpose: claim.purpose
            )
            return
        }
        lease.assetID = proposal.assetID
        lease.until = max(lease.until, claim.until)
        // What is only preloaded does not take the slot from what plays: an admin would end the wrong session.
        if claim.purpose != .reservation || lease.ended != nil {
            lease.purpose = claim.purpose
            lease.sessionID = proposal.sessionID
            lease.ended = nil
        }
        state.lease = lease
    }

    private static func keep(
        _ claim: OfflineClaim,
        _ proposal: GrantProposal,
        _ state: inout GrantState
    ) throws(GrantRefusal) {
        guard let device = proposal.place.device else { return }
        if let known = state.offline {
            if known.end == .revoked { throw GrantRefusal(.licenseRevoked, "the license of this key was revoked") }
            if known.hasRunOut(at: proposal.now), !claim.renewAfterExpiry {
                throw GrantRefusal(.renewalAfterExpiry, "the kept key has run out and is not given again")
            }
        }
        let storageUntil = claim.storage.map { later(proposal.now, by: $0) }
        var until = storageUntil
        if claim.hasDualExpiry {
            // Both count one after the other at most: first play on the last day of storage.
            until = storageUntil.flatMap { end in claim.playback.map { later(end, by: $0) } }
        }
        state.offline = OfflineLicenseRecord(
            account: proposal.account,
            device: device,
            streamID: claim.streamID,
            titleID: claim.titleID,
            assetID: proposal.assetID,
            granted: proposal.now,
            storageUntil: storageUntil,
            playback: claim.playback,
            until: until
        )
    }

    /// `time + seconds`, or the end of time: what comes from outside must not overflow.
    package static func later(_ time: Int64, by seconds: Int64) -> Int64 {
        let (sum, overflow) = time.addingReportingOverflow(seconds)
        return overflow ? (seconds < 0 ? .min : .max) : sum
    }
}

extension OfflineLicenseRecord {
    /// Whether the key ran out by itself. One that was invalidated in time did not, whatever the time is now; one that
    /// was gone only after it had run out did.
    func hasRunOut(at time: Int64) -> Bool {
        switch end {
        case .expired: true
        case .invalidated, .notFound: until.map { $0 < ended ?? time } ?? false
        case .revoked, nil: until.map { $0 <= time } ?? false
        }
    }
}

extension LeaseRecord {
    /// Ends it, if it has not run out and was not ended before. What is left is to be kept beside it, since the next
    /// session of the place takes the lease over: the session that was ended. Nil when there was nothing to end.
    package mutating func end(at time: Int64) -> EndedSessionRecord? {
        guard until > time, ended == nil else { return nil }
        ended = time
        // Without a session ID the next session looks like the one that was ended: it is let in when the key is gone.
        let memory = sessionID == nil ? 0 : GrantRules.endedLeaseMemory
        return EndedSessionRecord(
            account: account,
            place: place,
            sessionID: sessionID,
            forgetAt: GrantRules.later(until, by: memory)
        )
    }
}

extension OfflineLicenseRecord {
    /// What a revocation leaves. The device keeps the key, so that ``until`` stays.
    package mutating func revoke(at time: Int64) {
        end = .revoked
        ended = time
    }
}
