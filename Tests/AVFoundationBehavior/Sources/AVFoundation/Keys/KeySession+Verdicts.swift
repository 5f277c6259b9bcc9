import Foundation
import Locking

// The way from an answer to its verdict: rules 17 to 24, 52, 54 to 61, 71 to 74.

extension AVContentKeySession {
    /// Takes a response (rule 17).
    func receive(_ content: AVContentKeyResponse.Content, for request: AVContentKeyRequest) {
        guard request.beginAnswer() else { return }
        let contentKey = Unchecked(AVContentKey(self, request.contentKeySpecifier))
        let receive: @Sendable () -> Void = {
            request.state.withLock { state in
                (state.status, state.contentKey) = (.receivedResponse, contentKey.value)
            }
        }
        switch system.switches.statusTiming {
        case .duringCall: receive()
        case .later: perform { _ in receive() }
        }
        perform { session in
            guard request.status == .receivedResponse else { return }
            session.judge(content, request)
        }
    }

    /// Takes the app's error: the request fails with it (rule 20).
    func receive(error: NSError, for request: AVContentKeyRequest) {
        guard request.beginAnswer() else { return }
        perform { session in
            guard request.status == .requestingResponse else { return }
            session.fail(request, error)
        }
    }

    private func judge(_ content: AVContentKeyResponse.Content, _ request: AVContentKeyRequest) {
        let key: LoadedKey
        do throws(NSError) {
            key = try load(content, request)
        } catch {
            let failure = KeyError.failure(error)
            switch error.innermostCode {
            // Rules 51 and 52: a renewal after the end of the lease.
            case KeyError.leaseExpired: return refuse(request, .receivedResponseWithExpiredLease, failure)
            // Rule 61: unknown, a switch.
            case KeyError.persistableKeyExpired where system.switches.expiredKeySign == .retryThenFailure:
                return refuse(request, .receivedResponseWithExpiredLease, failure)
            default: return refuse(request, nil, failure)
            }
        }
        let slot = request.cause.slot
        // Rule 72.
        guard state.withLock({ $0.obsolete.remove(slot.identifier) }) == nil else {
            return refuse(request, .receivedObsoleteContentKey, KeyError.avFoundation(KeyError.contentKeyInvalid))
        }
        // Rule 52.
        let entry = KeyEntry(key: key, request: request, contentKey: request.contentKey)
        guard entry.isUsable(at: system.clock.date) else {
            let error = KeyError.failure(KeyError.status(KeyError.leaseExpired))
            return refuse(request, .receivedResponseWithExpiredLease, error)
        }
        succeed(request, entry)
    }

    /// Opens a response on the device.
    private func load(_ content: AVContentKeyResponse.Content, _ request: AVContentKeyRequest) throws(NSError)
        -> LoadedKey
    {
        switch (keySystem, content) {
        // Rule 89: 16 bytes, no SPC.
        case (.clearKey, .clearKey(let key, _)) where key.count == 16: return .clear(key)
        case (.authorizationToken, .authorizationToken(let token)): return .clear(token)
        case (.fairPlayStreaming, .fairPlay(let data)):
            guard let device = system.device else { throw KeyError.avFoundation(KeyError.unknown) }
            // Rules 54 and 55: a persistable request takes persistable data, from a CKC or kept. Rule 57: the device
            // refuses data of another device (-42803), and by rule 85 a key beyond its security (-42811).
            if request is AVPersistableContentKeyRequest {
                let session = beginPlaybackSession(on: device)
                return .fairPlay(try device.load(persistable: data, session: session))
            }
            // Rule 56: kept data in a plain request is no CKC.
            guard let made = request.state.withLock({ $0.fairPlay }) else {
                throw KeyError.status(KeyError.invalidCKC)
            }
            return .fairPlay(try device.open(ckc: data, for: made))
        default: throw KeyError.avFoundation(KeyError.contentKeyInvalid)
        }
    }

    /// Ends a request with success. Runs on the queue.
    private func succeed(_ request: AVContentKeyRequest, _ entry: KeyEntry) {
        let slot = request.cause.slot
        let (waiters, recipients) = state.withLock { state in
            state.close(request)
            state.keys[slot] = entry
            state.failed.remove(slot)
            return (state.waiters.removeValue(forKey: slot) ?? [], state.recipients)
        }
        // Rule 50: which of the two objects it appears on is unknown; here it is the earlier one.
        if let renewed = request.cause.renewed {
            renewed.state.withLock { $0.status = .renewed }
        } else if request.renewsExpiringResponseData {
            request.state.withLock { $0.status = .renewed }
        }
        // Rule 58: the order is unknown, a switch.
        if system.switches.updateOrder == .beforeSuccess, let key = entry.fairPlay,
            waiters.contains(where: \.isPlayback), let data = try? key.startPlaying()
        {
            delegate?.contentKeySession(
                self,
                didUpdatePersistableContentKey: data,
                forContentKeyIdentifier: request.cause.identifier.value ?? slot.identifier
            )
        }
        // Rule 24.
        if let contentKey = entry.contentKey {
            for recipient in recipients {
                (recipient.object as? any AVContentKeyRecipient)?.contentKeySession(self, didProvide: contentKey)
            }
        }
        // Rule 18.
        delegate?.contentKeySession(self, contentKeyRequestDidSucceed: request)
        for waiter in waiters {
            let isInoperable = waiter.recipient.object.map { recipient in
                state.withLock { $0.removed.contains { $0.object === recipient } }
            }
            waiter.completion(
                isInoperable == true ? .failure(KeyError.avFoundation(KeyError.requestCancelled)) : .success(entry.key)
            )
        }
        updateOutput(of: entry)
        scheduleRenewal(of: entry)
    }

    /// Ends a request with failure, unless the delegate wants to retry (rules 19 and 71). Runs on the queue.
    func refuse(_ request: AVContentKeyRequest, _ reason: AVContentKeyRequest.RetryReason?, _ error: NSError) {
        guard let reason, delegate?.contentKeySession(self, shouldRetry: request, reason: reason) == true else {
            return fail(request, error)
        }
        // Rule 73: the system sets no limit.
        request.end(.retried)
        state.withLock { $0.close(request) }
        guard isActive else { return }
        // Rule 71: same or new object is unknown; here it is a new one. By rule 25 it is a plain request.
        var cause = request.cause
        if request.renewsExpiringResponseData, cause.renewed == nil { cause.renewed = request }
        provide([AVContentKeyRequest(self, cause)])
    }

    /// Ends a request with failure. Runs on the queue.
    func fail(_ request: AVContentKeyRequest, _ error: NSError) {
        // Rule 19.
        request.end(.failed, error)
        let waiters = state.withLock { state in
            state.close(request)
            state.failed.insert(request.cause.slot)
            return state.takeWaiters(request.cause.slot)
        }
        delegate?.contentKeySession(self, contentKeyRequest: request, didFailWithError: error)
        // Rule 20: domain and code reach the player item.
        for waiter in waiters { waiter.completion(.failure(KeyError.forItem(error))) }
    }

    /// Cancels requests. What cancels a request and what follows is unknown (rule 74): here there is no verdict.
    func cancel(_ requests: [AVContentKeyRequest]) {
        for request in requests {
            request.end(.cancelled)
            state.withLock { state in
                state.close(request)
                state.failed.insert(request.cause.slot)
            }
        }
    }

    /// Makes the next response for a key obsolete (rule 72).
    package func makeNextResponseObsolete(for identifier: String) {
        state.withLock { _ = $0.obsolete.insert(identifier) }
    }
}
