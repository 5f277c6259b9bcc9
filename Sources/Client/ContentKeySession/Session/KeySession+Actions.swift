extension KeySession {
    /// Performs one action of the state machine.
    func perform(_ action: KeySessionMachine.Action) {
        switch action {
        case .provide(let description):
            let isAwaited = machine.isAwaited(request: description.id)
            let request = ContentKeyRequest(description, isAwaited: isAwaited, session: self)
            openRequests[request.id] = request
            provide(request)
        case .tellAwaited(let id):
            openRequests[id]?.setAwaited()
            sourceFeed.add(.awaited(id))
        case .providePersistable(let id):
            guard let request = openRequests[id] else { return }
            delegate?.contentKeySession(self, didProvide: PersistableContentKeyRequest(request: request))
            eventFeed.add(.didProvidePersistable(PersistableContentKeyRequest(request: request)))
        case .setStatus(let id, let status): set(status, of: id)
        case .askToRetry(let id, let reason):
            guard let request = openRequests[id] else { return }
            settle(id)
            if let error = machine.requests[id]?.error { request.set(error) }
            let retries = delegate?.contentKeySession(self, shouldRetry: request, reason: reason) ?? false
            apply(.request(id, retries ? .retry : .giveUp))
        case .succeed(let id):
            guard let request = openRequests[id] else { return }
            delegate?.contentKeySession(self, contentKeyRequestDidSucceed: request)
            eventFeed.add(.didSucceed(request))
        case .fail(let id, let error):
            guard let request = openRequests.removeValue(forKey: id) else { return }
            request.set(error)
            delegate?.contentKeySession(self, contentKeyRequest: request, didFailWithError: error)
            eventFeed.add(.didFail(request, error))
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
            eventFeed.add(.didStop(key, cause))
        case .releaseKey(let id): arrivals.removeValue(forKey: id)?.stop()
        // The caller that applied the event handles these actions.
        case .allow(let id, .respond): settle(id)
        case .allow, .refuse, .reportExpiry: break
        }
    }

    private func set(_ status: ContentKeyRequestStatus, of id: UInt64) {
        openRequests[id]?.set(status)
        switch status {
        case .requestingResponse, .receivedResponse: break
        // The action `fail` with the error follows.
        case .failed: settle(id)
        case .renewed, .retried, .cancelled:
            settle(id)
            openRequests[id] = nil
        }
        if status != .requestingResponse { deviceRequests[id] = nil }
    }

    /// Makes the key that a request provided the key in use.
    private func use(_ name: KeyName, _ id: UInt64, _ ids: [KeySessionMachine.RecipientID]) {
        guard let arrival = arrivals.removeValue(forKey: id) else { return }
        let key: ContentKey
        if let loaded = keys[name]?.key {
            loaded.replace(with: arrival)
            key = loaded
        } else {
            key = ContentKey(name, arrival, session: self)
        }
        keys[name] = (key, id)
        for recipient in ids.compactMap({ recipients[$0] }) {
            recipient.contentKeySession(self, didProvide: key)
        }
    }
}
