extension GrantRules {
    /// The difference between a device's reported remaining time and the remaining storage duration beyond which first
    /// play is assumed, in seconds. It allows for transit time and clock differences.
    package static let firstPlayTolerance: Int64 = 60

    /// Decides on a Sync claim, and updates `state` with the records to store. If the claim is refused, only
    /// ``SyncState/memory`` changes.
    package static func decide(_ claim: SyncClaim, _ state: inout SyncState) -> SyncOutcome {
        // The device gets no key for a Sync SPC, so earlier reports do not matter here.
        if let evidence = claim.evidence, refuse(evidence, at: claim.now, &state.memory) == .tampered {
            return .refused(tampered)
        }
        if let challenge = claim.challenge {
            guard let known = state.challenge, known.challenge == challenge, known.expires > claim.now,
                known.account.utf8.elementsEqual(claim.challengeAccount.utf8)
            else {
                return .refused(
                    GrantRefusal(.challengeUnknown, "the challenge was not issued, was already used, or has expired")
                )
            }
            state.challenge = nil
        }
        var count = 0
        for index in state.licenses.indices where claim.applies(to: state.licenses[index]) {
            count += 1
            state.licenses[index].reported = claim.now
            switch claim.message {
            case .report(let remaining): state.licenses[index].recordRemaining(remaining, at: claim.now)
            case .invalidated(_, let hadExpired, _):
                state.licenses[index].finish(hadExpired ? .expired : .invalidated, at: claim.now)
            case .notFound: break
            case .expired where state.licenses.count == 1: state.licenses[index].finish(.expired, at: claim.now)
            case .expired: break
            }
        }
        return .recorded(records: count)
    }

    /// Returns the audit record to write with an outcome.
    package static func auditRecord(of claim: SyncClaim, _ outcome: SyncOutcome) -> AuditRecord {
        var record = claim.audit
        if case .refused(let refusal) = outcome { record.replaceOutcome(refusal.code.rawValue, refusal.reason) }
        return record
    }
}

extension SyncClaim {
    /// Whether the claim applies to a key: a delayed SPC proves nothing about a key that was issued later, and the
    /// remaining time of one key proves nothing about the title's other keys.
    fileprivate func applies(to license: OfflineLicenseRecord) -> Bool {
        if case .report = message, titleID != nil, let assetID, license.assetID != assetID { return false }
        return made.map { $0 >= license.granted } ?? true
    }
}

extension OfflineLicenseRecord {
    /// Records the remaining time that the device reported. It can only bring the end nearer, never defer it.
    fileprivate mutating func recordRemaining(_ remaining: Int64?, at now: Int64) {
        guard end == nil || end == .revoked, let remaining else { return }
        guard remaining > 0 else { return finish(.expired, at: now) }
        // Playback is unlimited from first play on, so the remaining time until then does not determine the end.
        guard playback != nil else { return }
        let ends = GrantRules.later(now, by: remaining)
        if isBeforeFirstPlay {
            let startsEarlier = GrantRules.later(ends, by: GrantRules.firstPlayTolerance)
            guard storageUntil.map({ startsEarlier < $0 }) ?? true else { return }
            firstPlaySeen = now
        }
        until = min(until ?? ends, ends)
    }

    /// True if the key has not been played yet, as far as is known, so that the playback duration is still to follow. A
    /// key with one expiry never outlasts its storage duration.
    private var isBeforeFirstPlay: Bool {
        guard firstPlaySeen == nil else { return false }
        guard let until, let storageUntil else { return true }
        return until > storageUntil
    }

    /// Records that the key can no longer be played.
    fileprivate mutating func finish(_ how: End, at now: Int64) {
        until = min(until ?? now, now)
        // A key that has ended or was revoked stays so; otherwise a device could clear an expired or revoked key from
        // its record by invalidating the key.
        guard end == nil else { return }
        end = how
        ended = now
    }
}
