import Foundation
import Locking

// Loaded keys: renewals, revocation, outputs. Rules 42, 45 to 53, 84 to 87.

extension AVContentKeySession {
    // MARK: Renewals

    /// Requests the renewal of a key (rule 46).
    func renew(_ request: AVContentKeyRequest) {
        guard isActive else {
            // Rule 83: unknown; raises to find such calls.
            if state.withLock({ $0.phase == .expired }) {
                system.raise(.internalInconsistency, "renewExpiringResponseData on an expired session")
            }
            return
        }
        let slot = request.cause.slot
        // A renewal of a key that the session does not have is unknown; here nothing happens.
        guard let entry = state.withLock({ $0.keys[slot] }), state.withLock({ $0.open[slot] }) == nil else { return }
        provide([renewingRequest(entry.request)])
    }

    /// Returns the object of a renewing request (rule 47: unknown, a switch).
    private func renewingRequest(_ earlier: AVContentKeyRequest) -> AVContentKeyRequest {
        // A persistable request cannot be the renewing one, which is plain.
        if system.switches.renewObject == .earlier, !(earlier is AVPersistableContentKeyRequest) {
            earlier.state.withLock { state in
                (state.status, state.isAnswered, state.isRenewing) = (.requestingResponse, false, true)
                state.fairPlay = nil
            }
            return earlier
        }
        var cause = earlier.cause
        cause.renewed = earlier
        return AVContentKeyRequest(self, cause)
    }

    /// Returns the key that a request renews.
    func renewedKey(_ request: AVContentKeyRequest) -> (any FairPlayKey)? {
        state.withLock { $0.keys[request.cause.slot] }?.fairPlay
    }

    /// Rule 49: the system renews a key only because the app asked for it; a switch.
    func scheduleRenewal(of entry: KeyEntry) {
        guard system.switches.autoRenewal == .beforeEnd, let end = entry.fairPlay?.leaseEnd else { return }
        let remaining = Duration.seconds(Double(end) - system.clock.date.timeIntervalSince1970)
        let slot = entry.request.cause.slot
        let session = Weak(self)
        system.clock.schedule(after: max(remaining - KeyTiming.autoRenewal, remaining / 2)) {
            guard let session = session.object as? AVContentKeySession, session.isActive,
                let current = session.state.withLock({ $0.keys[slot] }), current.fairPlay?.leaseEnd == end
            else { return }
            session.renew(current.request)
        }
    }

    // MARK: Removal

    /// Removes a key: playback with it fails, and the next need leads to a request (rule 42).
    func revoke(_ contentKey: AVContentKey) {
        let removed = state.withLock { state in
            guard let found = state.keys.first(where: { $0.value.contentKey === contentKey }) else {
                return nil as KeyEntry?
            }
            return state.keys.removeValue(forKey: found.key)
        }
        removed?.fairPlay?.discard()
    }

    /// Removes the keys of an output, which asks for them again: at a change of the route (rule 86), or for each
    /// segment (rule 87).
    package func forgetKeys(on route: OutputRoute) {
        let removed = state.withLock { state in
            let slots = state.keys.keys.filter { $0.route == route }
            return slots.compactMap { state.keys.removeValue(forKey: $0) }
        }
        for entry in removed { entry.fairPlay?.discard() }
    }

    /// Returns the identifier of a loaded key, in its type.
    func identifier(of key: any FairPlayKey) -> Any? {
        let entry = state.withLock { state in Unchecked(state.keys.values.first { $0.fairPlay === key }) }
        return entry.value?.request.cause.identifier.value
    }

    // MARK: Outputs

    /// Checks the display of all keys again, after the test has changed the display of the device (rule 84).
    package func updateOutputs() {
        for entry in state.withLock({ Array($0.keys.values) }) { updateOutput(of: entry) }
    }

    func updateOutput(of entry: KeyEntry) {
        guard #available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *), let key = entry.fairPlay,
            let contentKey = entry.contentKey, contentKey.setOutput(isSufficient: key.isOutputSufficient)
        else { return }
        tell { $1.contentKeySession($0, externalProtectionStatusDidChangeFor: contentKey) }
    }
}
