extension GrantRules {
    /// By how much a device's remaining time may differ from what storage still allows before it tells of first play,
    /// in seconds: the SPC was under way, and clocks differ.
    package static let firstPlayTolerance: Int64 = 60

    /// Decides on a Sync claim, and leaves in `state` what is to be kept. Refused, only ``SyncState/memory`` changes.
    package static func decide(_ claim: SyncClaim, _ state: inout SyncState) -> SyncOutcome {
        // Its device gets no key for it, so that earlier reports do not matter here.
        if let evidence = claim.evidence, refuse(evidence, at: claim.now, &state.memory) == .tampered {
            return .refused(tampered)
        }
        if let challenge = claim.challenge {
            guard let known = state.challenge, known.challenge == challenge, known.expires > claim.now,
                known.account.utf8.elementsEqual(claim.challengeAccount.utf8)
            else {
                return .refused(GrantRefusal(.challengeUnknown, "the challenge was not given out, or was used"))
            }
            state.challenge = nil
        }
        var count = 0
        for index in state.licenses.indices where claim.isAbout(state.licenses[index]) {
            count += 1
            state.licenses[index].reported = claim.now
            switch claim.message {
            case .report(let remaining): state.licenses[index].note(remaining: remaining, at: claim.now)
            case .invalidated(_, let hadExpired, _):
                state.licenses[index].finish(hadExpired ? .expired : .invalidated, at: claim.now)
            case .notFound: break
            case .expired where state.licenses.count == 1: state.licenses[index].finish(.expired, at: claim.now)
            case .expired: break
            }
        }
        return .recorded(records: count)
    }

    /// The audit record that is written with an outcome.
    package static func auditRecord(of claim: SyncClaim, _ outcome: SyncOutcome) -> AuditRecord {
        var record = claim.audit
        if case .refused(let refusal) = outcome { record.replaceOutcome(refusal.code.rawValue, refusal.reason) }
        return record
    }
}

extension SyncClaim {
    /// Whether it can speak of this key: an SPC that was held back says nothing of one that was given later, and what is left
    /// of one key nothing of the title's others.
    fileprivate func isAbout(_ license: OfflineLicenseRecord) -> Bool {
        if case .report = message, titleID != nil, let assetID, license.assetID != assetID { return false }
        return made.map { $0 >= license.granted } ?? true
    }
}

extension OfflineLicenseRecord {
    /// Takes the device's word on how long it may still be played. Only the end is brought nearer by it, never put off.
    fileprivate mutating func note(remaining: Int64?, at now: Int64) {
        guard end == nil || end == .revoked, let remaining else { return }
        guard remaining > 0 else { return finish(.expired, at: now) }
        // From first play on it is endless: what remains until then says nothing about the end.
        guard playback != nil else { return }
        let ends = GrantRules.later(now, by: remaining)
        if isBeforeFirstPlay {
            let startsEarlier = GrantRules.later(ends, by: GrantRules.firstPlayTolerance)
            guard storageUntil.map({ startsEarlier < $0 }) ?? true else { return }
            firstPlaySeen = now
        }
        until = min(until ?? ends, ends)
    }

    /// Whether storage and playback still count one after the other, as far as is known. A key with one expiry never
    /// outlasts its storage.
    private var isBeforeFirstPlay: Bool {
        guard firstPlaySeen == nil else { return false }
        guard let until, let storageUntil else { return true }
        return until > storageUntil
    }

    /// The key cannot be played any more.
    fileprivate mutating func finish(_ how: End, at now: Int64) {
        until = min(until ?? now, now)
        // What was revoked stays so, and what was gone once is: otherwise a device could wash an expired or revoked key
        // clean by having it invalidated.
        guard end == nil else { return }
        end = how
        ended = now
    }
}
