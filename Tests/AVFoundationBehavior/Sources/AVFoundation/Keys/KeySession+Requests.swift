import Foundation
import Locking

// The way from a need or a call to the delegate: rules 25 to 45.

extension AVContentKeySession {
    /// Requests keys for the app (rule 38).
    func requestKeys(identifier: Any?, initializationData: Data?, options: [String: Any]) {
        guard isActive else {
            // Rule 83: unknown; raises to find such calls.
            if state.withLock({ $0.phase == .expired }) {
                system.raise(.internalInconsistency, "processContentKeyRequest on an expired session")
            }
            return
        }
        // Rule 38: whether it raises is unknown.
        guard identifier != nil || initializationData != nil else {
            return system.raise(.invalidArgument, "processContentKeyRequest without identifier and initialization data")
        }
        var requests: [AVContentKeyRequest] = []
        for name in names(identifier, initializationData) {
            let cause = KeyRequestCause(
                slot: KeySlot(name, initializationData),
                identifier: Unchecked(name),
                initializationData: initializationData,
                options: Unchecked(options)
            )
            if mustRequest(cause.slot) { requests.append(AVContentKeyRequest(self, cause)) }
        }
        provide(requests, initializationData: initializationData)
    }

    /// Returns whether a call of the app for a key leads to a request.
    private func mustRequest(_ slot: KeySlot) -> Bool {
        let now = system.clock.date
        let switches = system.switches
        return state.withLock { state in
            // Rule 39: a key that is loaded is not requested again.
            if state.keys[slot]?.isUsable(at: now) == true { return false }
            // Rule 40: unknown, a switch.
            if state.open[slot] != nil { return switches.pendingDuplicate == .secondRequest }
            // Rule 41: inferred, a switch.
            return !state.failed.contains(slot) || switches.retryAfterFailure == .newRequest
        }
    }

    /// Returns the identifiers of the requests for an app's call. In initialization data, this system finds one key
    /// per line of text: an invented format, since a real one is not public for HLS (rule 32).
    private func names(_ identifier: Any?, _ initializationData: Data?) -> [Any?] {
        guard identifier == nil, let initializationData else { return [identifier] }
        let lines = String(data: initializationData, encoding: .utf8)?.split(separator: "\n").map(String.init) ?? []
        return lines.count > 1 ? lines : [nil]
    }

    /// Gets keys for a recipient. Several keys come from one initialization data.
    package func needKeys(
        _ needs: [KeyNeed],
        initializationData: Data?,
        for recipient: any AVContentKeyRecipient,
        completion: @escaping @Sendable (Result<LoadedKey, NSError>) -> Void
    ) {
        var requests: [AVContentKeyRequest] = []
        for need in needs {
            guard let request = request(for: need, initializationData, recipient, completion) else { continue }
            requests.append(request)
        }
        provide(requests, initializationData: initializationData)
    }

    private func request(
        for need: KeyNeed,
        _ initializationData: Data?,
        _ recipient: any AVContentKeyRecipient,
        _ completion: @escaping @Sendable (Result<LoadedKey, NSError>) -> Void
    ) -> AVContentKeyRequest? {
        // Rule 77: a removed recipient and all recipients of an expired session are inoperable. Rule 91: a session
        // provides keys of its own system only.
        let isInoperable = state.withLock { state in
            state.phase != .active || state.removed.contains { $0.object === recipient }
        }
        guard !isInoperable, need.keySystem == keySystem else {
            system.deliver(on: delegateQueue ?? .global()) {
                completion(.failure(KeyError.avFoundation(isInoperable ? KeyError.requestCancelled : KeyError.unknown)))
            }
            return nil
        }
        // Rule 33: the type is unknown, a switch.
        let identifier: Any =
            system.switches.identifierType == .url ? URL(string: need.uri).map { $0 as Any } ?? need.uri : need.uri
        let cause = KeyRequestCause(
            slot: KeySlot(need.uri, nil, need.route),
            identifier: Unchecked(identifier),
            initializationData: initializationData,
            versions: need.versions,
            recipient: Weak(recipient)
        )
        let waiter = KeyWaiter(recipient: Weak(recipient), isPlayback: need.isPlayback, completion: completion)
        let now = system.clock.date
        let loaded: KeyEntry? = state.withLock { state in
            if let entry = state.keys[cause.slot], entry.isUsable(at: now) { return entry }
            state.waiters[cause.slot, default: []].append(waiter)
            return nil
        }
        // Rule 44: a loaded key is used without a request.
        if let loaded {
            perform { _ in completion(.success(loaded.key)) }
            return nil
        }
        // One request serves all who wait for the key.
        return state.withLock { $0.open[cause.slot] == nil } ? AVContentKeyRequest(self, cause) : nil
    }

    /// Passes requests to the delegate.
    func provide(_ requests: [AVContentKeyRequest], initializationData: Data? = nil) {
        for request in requests { open(request) }
        // Rule 3: with the switch, a clear key session receives no requests in the Simulator.
        if system.switches.isSimulator, keySystem == .clearKey { return }
        guard requests.count > 1 else {
            if let request = requests.first { tell { $0.provide(request, to: $1) } }
            return
        }
        // Rule 32.
        tell { session, delegate in
            delegate.contentKeySession(session, didProvide: requests, forInitializationData: initializationData)
            guard session.state.withLock({ $0.missing.contains(.array) }) else { return }
            for request in requests { session.provide(request, to: delegate) }
        }
    }

    /// Adds a request to those without a verdict, and starts its time.
    private func open(_ request: AVContentKeyRequest) {
        state.withLock { $0.open[request.cause.slot, default: []].append(request) }
        // Rule 22: a request without an end times out.
        let timer = system.clock.schedule(after: KeyTiming.answer) { [weak request] in
            guard let request, let session = request.session else { return }
            session.perform { $0.timeOut(request) }
        }
        request.state.withLock { $0.timer = timer }
    }

    /// Passes a request to the delegate: by rule 25 a plain one, unless the app asked for another.
    private func provide(_ request: AVContentKeyRequest, to delegate: any AVContentKeySessionDelegate) {
        guard request.isWaiting else { return }
        if request.renewsExpiringResponseData, !(request is AVPersistableContentKeyRequest) {
            delegate.contentKeySession(self, didProvideRenewingContentKeyRequest: request)
        } else if let request = request as? AVPersistableContentKeyRequest {
            delegate.contentKeySession(self, didProvide: request)
            // Rule 28. Apple's systems raise inside of respondBy…, before which this system cannot know it.
            if state.withLock({ $0.missing.contains(.persistable) }) {
                system.raise(.internalInconsistency, "the delegate does not implement the persistable didProvide")
            }
        } else {
            delegate.contentKeySession(self, didProvide: request)
        }
    }

    /// Rule 72: the answer is too late.
    private func timeOut(_ request: AVContentKeyRequest) {
        guard request.isWaiting else { return }
        request.state.withLock { $0.isAnswered = true }
        refuse(request, .timedOut, KeyError.avFoundation(KeyError.unknown))
    }
}
