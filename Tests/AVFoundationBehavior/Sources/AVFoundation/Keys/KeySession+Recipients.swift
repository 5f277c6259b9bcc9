import Foundation
import Locking

// Recipients and the end of a session: rules 74 to 79, 83.

/// The key session of an asset, and whether it is too late to add the asset to one.
package final class RecipientState: Sendable {
    private let state = Lock((hasLoaded: false, session: Weak(nil)))

    /// True if a property of the asset was loaded, after which it cannot be added to a session (rule 76).
    package var hasLoaded: Bool {
        get { state.withLock { $0.hasLoaded } }
        set { state.withLock { $0.hasLoaded = newValue } }
    }

    /// The session of the asset. If it is added to two sessions, which is unknown (rule 78), the later one.
    var session: AVContentKeySession? { state.withLock { $0.session }.object as? AVContentKeySession }
    fileprivate func set(_ session: AVContentKeySession?) {
        let weak = Weak(session)
        state.withLock { $0.session = weak }
    }
}

/// A recipient of this module.
protocol KeySessionAsset: AVContentKeyRecipient { var recipientState: RecipientState { get } }

extension AVContentKeySession {
    func add(_ recipient: any AVContentKeyRecipient) {
        let phase = state.withLock { $0.phase }
        guard phase != .ended else { return }
        let asset = (recipient as? any KeySessionAsset)?.recipientState
        // Rule 76.
        guard phase == .active else {
            return system.raise(.internalInconsistency, "the session has expired")
        }
        guard asset?.hasLoaded != true else {
            return system.raise(.internalInconsistency, "a property of the asset was already loaded")
        }
        // To add a recipient twice is unknown (rule 78); here it has no effect.
        let weak = Weak(recipient)
        state.withLock { state in
            state.isTracked = true
            state.removed.removeAll { $0.object === recipient }
            guard !state.recipients.contains(where: { $0.object === recipient }) else { return }
            state.recipients.removeAll { $0.object == nil }
            state.recipients.append(weak)
        }
        asset?.set(self)
    }

    /// Removes a recipient, which becomes inoperable (rule 77).
    func remove(_ recipient: any AVContentKeyRecipient) {
        let weak = Weak(recipient)
        let (ended, waiters) = state.withLock { state in
            guard state.recipients.contains(where: { $0.object === recipient }) else {
                return ([AVContentKeyRequest](), [KeyWaiter]())
            }
            state.recipients.removeAll { $0.object === recipient }
            state.removed.append(weak)
            let waiters = state.waiters.values.joined().filter { $0.recipient.object === recipient }
            for slot in state.waiters.keys {
                state.waiters[slot]?.removeAll { $0.recipient.object === recipient }
                if state.waiters[slot]?.isEmpty == true { state.waiters[slot] = nil }
            }
            // Rule 74: unknown; here the requests end that only this recipient needs.
            let ended = state.open.values.joined().filter { request in
                request.cause.recipient?.object === recipient && state.waiters[request.cause.slot] == nil
            }
            return (Array(ended), Array(waiters))
        }
        cancel(ended)
        finish(waiters)
    }

    /// Ends the session (rules 77 and 79).
    func expireNow() {
        guard isActive else { return }
        fileReport(isAbnormal: false)
        end(.expired)
    }

    /// Ends the session with the process of the app.
    func endWithProcess() {
        fileReport(isAbnormal: true)
        end(.ended)
    }

    private func end(_ phase: KeySessionState.Phase) {
        let (open, waiters, keys) = state.withLock { state in
            state.phase = phase
            defer { (state.waiters, state.keys) = ([:], [:]) }
            return (Array(state.open.values.joined()), Array(state.waiters.values.joined()), Array(state.keys.values))
        }
        cancel(open)
        for key in keys { key.fairPlay?.discard() }
        if phase == .expired { finish(waiters) }
    }

    private func finish(_ waiters: [KeyWaiter]) {
        perform { _ in
            for waiter in waiters {
                waiter.completion(.failure(KeyError.avFoundation(KeyError.requestCancelled)))
            }
        }
    }
}
