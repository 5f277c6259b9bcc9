import TextCoding

/// The decision on a proposal: a pure function, the same for every store.
///
/// A session that was ended gets nothing, not even a repeated response. Otherwise the claims are checked in this order:
/// replay, token binding, device, rental, slot, offline. The first claim that fails refuses the license, and then no
/// claim is written.
package enum GrantRules {
    /// The time for which an ended session is stored after its lease has expired, in seconds, so that it stays refused.
    package static let endedSessionRetention: Int64 = 86_400
    /// The time for which a token's binding is stored after the token has expired, in seconds, because token checks may
    /// allow clock skew.
    package static let bindingRetention: Int64 = 3_600

    /// Decides on a proposal, and updates `state` with the records to store. Unless the outcome is
    /// ``GrantOutcome/granted``, only ``GrantState/memory`` changes.
    package static func decide(_ proposal: GrantProposal, _ state: inout GrantState) -> GrantOutcome {
        if let evidence = proposal.evidence {
            switch admit(evidence, at: proposal.now, &state.memory) {
            case .admitted: break
            case .tampered: return .refused(tampered)
            case .reported(let report): return .deviceReported(report)
            }
        }
        if let ended = state.endedSession, ended.expiry > proposal.now {
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
            if let claim = proposal.slot { try acquireSlot(claim, proposal, &next) }
            if let claim = proposal.offline { try recordOffline(claim, proposal, &next) }
        } catch {
            return .refused(error)
        }
        if let claim = proposal.replay {
            let retryUntil = later(proposal.now, by: max(claim.grace, 0))
            // A claim that expires before its retries would let the request through as a new one.
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

    /// Returns the audit record to write with an outcome, or nil.
    package static func auditRecord(of proposal: GrantProposal, _ outcome: GrantOutcome) -> AuditRecord? {
        var record = proposal.audit
        switch outcome {
        case .granted: break
        case .retried: record.replaceOutcome("retried", "the same request again; the same response was returned")
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
                client: proposal.client,
                sessionID: proposal.sessionID,
                expires: claim.expires
            )
            return
        }
        // Compare bytes: Swift compares canonically equivalent strings as equal, and a database does not.
        guard bound.account.utf8.elementsEqual(proposal.account.utf8), bound.client == proposal.client,
            bound.sessionID == proposal.sessionID
        else {
            throw GrantRefusal(
                .tokenAlreadyBound,
                "the token is for a single use, and was already used by another account, device or session"
            )
        }
        // A webhook may return a different expiry with every response: the binding lasts until the latest of them.
        state.binding?.expires = max(bound.expires, claim.expires)
    }

    private static func admit(
        _ claim: DeviceClaim,
        _ proposal: GrantProposal,
        _ state: inout GrantState
    ) throws(GrantRefusal) {
        guard let device = proposal.client.device else { return }
        let deviceClass = claim.deviceClass.map { clipped($0, 100) }
        if let known = state.device {
            state.device?.lastSeen = max(known.lastSeen, proposal.now)
            state.device?.deviceClass = deviceClass ?? known.deviceClass
            return
        }
        if let limit = claim.limit, state.otherDevices >= limit {
            throw GrantRefusal(
                .devicesExceeded,
                "the account has \(counted(state.otherDevices, "device")), the limit is \(limit)"
            )
        }
        state.device = DeviceRecord(
            account: proposal.account,
            device: device,
            deviceClass: deviceClass,
            firstSeen: proposal.now,
            lastSeen: proposal.now
        )
    }

    /// Checks a rental. Returns the start that the response must be created for, if it differs from the claim's.
    private static func rent(
        _ claim: RentalClaim,
        _ proposal: GrantProposal,
        _ state: inout GrantState
    ) throws(GrantRefusal) -> Int64? {
        var known = state.rental
        if claim.isTokensStart, let previous = known, claim.start > previous.start { known = nil }
        // The start was read from a rental that has been deleted since.
        if known == nil, !claim.isTokensStart, claim.start != proposal.now { return proposal.now }
        var rental =
            known
            ?? RentalRecord(
                account: proposal.account,
                subject: claim.subject,
                start: claim.start,
                end: claim.start,
                client: proposal.client
            )
        rental.end = later(rental.start, by: claim.duration)
        guard rental.end > proposal.now else { throw GrantRefusal(.rentalExpired, "the rental has expired") }
        if claim.bindsDevice {
            guard proposal.client.device != nil else {
                throw GrantRefusal(
                    .rentalNeedsDevice,
                    "the rental is limited to one device, and a digital AV adapter hides the device"
                )
            }
            // The rental started on an adapter, under a policy that did not bind it: bind it to the first device.
            if rental.client.device == nil { rental.client = proposal.client }
            if rental.client != proposal.client {
                throw GrantRefusal(.rentalOnOtherDevice, "the rental belongs to the device of its first license")
            }
        }
        guard rental.start == claim.start else { return rental.start }
        state.rental = rental
        return nil
    }

    private static func acquireSlot(
        _ claim: SlotClaim,
        _ proposal: GrantProposal,
        _ state: inout GrantState
    ) throws(GrantRefusal) {
        let own = state.lease
        let isActive = own.map { $0.until > proposal.now } ?? false
        let isSameSession = own.map { $0.sessionID == proposal.sessionID } ?? false
        // A session keeps its slot even if other sessions got theirs under a policy with a higher limit.
        if let limit = claim.limit, state.otherLeases >= limit, !(isActive && isSameSession) {
            throw GrantRefusal(
                .streamsExceeded,
                "the account has \(counted(state.otherLeases, "other stream")), the limit is \(limit)"
            )
        }
        guard var lease = own, isActive else {
            state.lease = LeaseRecord(
                account: proposal.account,
                client: proposal.client,
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
        // A preloaded key does not take the slot from a session that plays; otherwise an admin would end the wrong
        // session.
        if claim.purpose != .reservation || lease.ended != nil {
            lease.purpose = claim.purpose
            lease.sessionID = proposal.sessionID
            lease.ended = nil
        }
        state.lease = lease
    }

    private static func recordOffline(
        _ claim: OfflineClaim,
        _ proposal: GrantProposal,
        _ state: inout GrantState
    ) throws(GrantRefusal) {
        guard let device = proposal.client.device else { return }
        if let known = state.offline {
            if known.end == .revoked { throw GrantRefusal(.licenseRevoked, "the license of this key was revoked") }
            if known.hasExpired(at: proposal.now), !claim.renewAfterExpiry {
                throw GrantRefusal(
                    .renewalAfterExpiry,
                    "the persistent key has expired, and the policy does not allow a renewal"
                )
            }
        }
        let storageUntil = claim.storage.map { later(proposal.now, by: $0) }
        var until = storageUntil
        if claim.hasDualExpiry {
            // The two durations add up at most: first play may be on the last day of storage.
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

    /// Returns `time + seconds`, clamped to the range of `Int64`, because input from outside must not overflow.
    package static func later(_ time: Int64, by seconds: Int64) -> Int64 {
        let (sum, overflow) = time.addingReportingOverflow(seconds)
        return overflow ? (seconds < 0 ? .min : .max) : sum
    }
}

extension OfflineLicenseRecord {
    /// Whether the key had expired by a time. A key that was invalidated before its expiry had not, regardless of the
    /// current time; a key that was invalidated or missing only after its expiry had.
    func hasExpired(at time: Int64) -> Bool {
        switch end {
        case .expired: true
        case .invalidated, .notFound: until.map { $0 < ended ?? time } ?? false
        case .revoked, nil: until.map { $0 <= time } ?? false
        }
    }
}

extension LeaseRecord {
    /// Ends the lease if it has neither expired nor been ended. Returns a record of the ended session to store
    /// separately, because the client's next session takes over the lease; nil if there is nothing to end.
    package mutating func end(at time: Int64) -> EndedSessionRecord? {
        guard until > time, ended == nil else { return nil }
        ended = time
        // Without a session ID the next session cannot be distinguished from the ended one, so it is allowed once the
        // key has expired.
        let memory = sessionID == nil ? 0 : GrantRules.endedSessionRetention
        return EndedSessionRecord(
            account: account,
            client: client,
            sessionID: sessionID,
            expiry: GrantRules.later(until, by: memory)
        )
    }
}

extension OfflineLicenseRecord {
    /// Marks the key as revoked. The device still has the key, so ``until`` does not change.
    package mutating func revoke(at time: Int64) {
        end = .revoked
        ended = time
    }
}
