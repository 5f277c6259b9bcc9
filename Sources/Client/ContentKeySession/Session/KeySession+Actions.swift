extension KeySession {
    /// Performs one action of the state machine.
    func perform(_ action: KeySessionMachine.Action) {
        switch action {
        case .provide(let description):
            let isAwaited = machine.isAwaited(request: description.id)
            let request = ContentKeyRequest(description, isAwaited: isAwaited, session: self)
            openRequests[request.id] = request
            provide(request)
        case .notifyAwaited(let id):
            openRequests[id]?.setAwaited()
            sourceBroadcast.add(.awaited(id))
        case .providePersistable(let id):
            guard let request = openRequests[id] else { return }
            delegate?.contentKeySession(self, didProvide: PersistableContentKeyRequest(request: request))
            eventBroadcast.add(.didProvidePersistable(PersistableContentKeyRequest(request: request)))
        case .setStatus(let id, let status): set(status, of: id)
        case .requestRetryDecision(let id, let reason):
            guard let request = openRequests[id] else { return }
            resolve(id)
            if let error = machine.requests[id]?.error { request.set(error) }
            let retries = delegate?.contentKeySession(self, shouldRetry: request, reason: reason) ?? false
            apply(.request(id, retries ? .retry : .declineRetry))
        case .succeed(let id):
            guard let request = openRequests[id] else { return }
            delegate?.contentKeySession(self, contentKeyRequestDidSucceed: request)
            eventBroadcast.add(.didSucceed(request))
        case .fail(let id, let error):
            guard let request = openRequests.removeValue(forKey: id) else { return }
            request.set(error)
            delegate?.contentKeySession(self, contentKeyRequest: request, didFailWithError: error)
            eventBroadcast.add(.didFail(request, error))
        case .useKey(let name, let id, let recipients): use(name, id, recipients)
        case .deliver(let waiter, let name):
            guard let key = keys[name]?.key else { return }
            waiters.removeValue(forKey: waiter)?.resume(returning: .success(key))
        case .failWaiter(let waiter, let error):
            waiters.removeValue(forKey: waiter)?.resume(returning: .failure(error))
        case .stopKey(let name, let id, let cause):
            openRequests[id] = nil
            guard let (key, _) = keys.removeValue(forKey: name) else { return }
            key.end(cause)
            delegate?.contentKeySession(self, didStop: key, cause: cause)
            eventBroadcast.add(.didStop(key, cause))
        case .releaseKey(let id): receivedKeys.removeValue(forKey: id)?.stop()
        // The caller that applied the event handles these actions.
        case .allow(let id, .respond): resolve(id)
        case .allow, .refuse, .reportExpiry: break
        }
    }

    private func set(_ status: ContentKeyRequestStatus, of id: UInt64) {
        openRequests[id]?.set(status)
        switch status {
        case .requestingResponse, .receivedResponse: break
        // The action `fail` with the error follows.
        case .failed: resolve(id)
        case .renewed, .retried, .cancelled:
            resolve(id)
            openRequests[id] = nil
        }
        if status != .requestingResponse { deviceRequests[id] = nil }
    }

    /// Makes the key that a request provided the key in use.
    private func use(_ name: KeyName, _ id: UInt64, _ ids: [KeySessionMachine.RecipientID]) {
        guard let receivedKey = receivedKeys.removeValue(forKey: id) else { return }
        let key: ContentKey
        if let loaded = keys[name]?.key {
            loaded.replace(with: receivedKey)
            key = loaded
        } else {
            key = ContentKey(name, receivedKey, session: self)
        }
        keys[name] = (key, id)
        for recipient in ids.compactMap({ recipients[$0] }) {
            recipient.contentKeySession(self, didProvide: key)
        }
    }
}
