import Foundation
import FoundationNetworking

extension AVAssetResourceLoader {
    /// Gets a key: one that was preloaded, otherwise by a request to the delegate.
    func loadKey(
        _ key: StreamContent.Key,
        route: OutputRoute,
        completion: @escaping @Sendable (Result<LoadedKey, NSError>) -> Void
    ) {
        guard route == .local else { return request(key, route: route, completion: completion) }
        enum Step { case wait, use(Result<LoadedKey, NSError>), request }
        let step: Step = state.withLock { state in
            switch state.keyPreloads[key.uri] {
            case nil: return .request
            case .ended(let result): return .use(result)
            case .pending(let waiting):
                state.keyPreloads[key.uri] = .pending(waiting + [completion])
                return .wait
            }
        }
        switch step {
        case .wait: break
        case .use(let result): system.deliver(on: workQueue) { completion(result) }
        case .request: request(key, route: route, completion: completion)
        }
    }

    /// Requests a key of the delegate. Without a delegate, or if it returns false, the load fails (rule 92): the URL's
    /// scheme is not supported.
    private func request(
        _ key: StreamContent.Key,
        route: OutputRoute,
        completion: @escaping @Sendable (Result<LoadedKey, NSError>) -> Void
    ) {
        guard let url = URL(string: key.uri) else {
            return system.deliver(on: workQueue) { completion(.failure(MediaErrors.unsupportedURL)) }
        }
        var subject = ResourceSubject(key: key, route: route, session: system.device?.beginSession() ?? 0)
        if key.method == .fairPlay {
            // Rule 94.
            subject.allowedContentTypes = [AVStreamingKeyDeliveryContentKeyType]
            if system.device?.canPersist(on: route) == true {
                subject.allowedContentTypes.append(AVStreamingKeyDeliveryPersistentContentKeyType)
            }
        }
        load(url, subject: subject) { [weak self, subject] request, error in
            guard let self else { return }
            completion(
                Result { () throws(NSError) in
                    if let error { throw error }
                    return try self.key(of: request, subject)
                }
            )
        }
    }

    /// Sends a request to the delegate on its queue.
    func load(
        _ url: URL,
        subject: ResourceSubject,
        completion: @escaping @Sendable (AVAssetResourceLoadingRequest, NSError?) -> Void
    ) {
        let queue = delegateQueue ?? workQueue
        system.deliver(on: queue) { [self] in
            let request = AVAssetResourceLoadingRequest(
                subject,
                request: URLRequest(url: url),
                system: system,
                completion: { [weak self] request, error in
                    self?.remove(request)
                    completion(request, error)
                }
            )
            send(request) { $0.resourceLoader(self, shouldWaitForLoadingOfRequestedResource: request) }
        }
    }

    private func send(
        _ request: AVAssetResourceLoadingRequest,
        _ ask: (any AVAssetResourceLoaderDelegate) -> Bool
    ) {
        state.withLock { $0.open.append(request) }
        guard let delegate, ask(delegate) else { return request.refuse() }
    }

    private func remove(_ request: AVAssetResourceLoadingRequest) {
        state.withLock { $0.open.removeAll { $0 === request } }
    }

    /// Cancels the open requests, because nothing needs them any more (rule 97).
    func cancelRequests() {
        for request in state.withLock({ state in
            defer { state.open = [] }
            return state.open
        }) {
            let box = UncheckedBox(request)
            system.deliver(on: delegateQueue ?? workQueue) { [self] in
                guard box.value.cancel() else { return }
                delegate?.resourceLoader(self, didCancel: box.value)
            }
        }
    }

    /// The key that a finished request carries, and the schedule of its renewal.
    private func key(
        of request: AVAssetResourceLoadingRequest,
        _ subject: ResourceSubject
    ) throws(NSError) -> LoadedKey {
        let data = try data(of: request)
        guard let key = subject.key, key.method == .fairPlay else {
            guard data.count == 16 else { throw NSError(domain: AVFoundationErrorDomain, code: -11853) }
            return .clear(data)
        }
        guard let device = system.device else { throw MediaErrors.unsupportedURL }
        do throws(NSError) {
            let loaded: any FairPlayKey
            if request.contentInformationRequest?.contentType == AVStreamingKeyDeliveryPersistentContentKeyType {
                // Rule 95.
                loaded = try device.load(persistable: data, session: subject.session)
            } else if let fairPlayRequest = request.state.withLock({ $0.fairPlayRequest }) {
                loaded = try device.open(ckc: data, for: fairPlayRequest)
            } else {
                throw NSError(domain: NSOSStatusErrorDomain, code: -42668)
            }
            if let date = request.contentInformationRequest?.renewalDate {
                scheduleRenewal(at: date, url: request.request.url, subject, loaded)
            }
            return .fairPlay(loaded)
        } catch {
            throw MediaErrors.fairPlay(error)
        }
    }

    /// The data of a finished request, which a redirect fetches from the network (rule 99).
    private func data(of request: AVAssetResourceLoadingRequest) throws(NSError) -> Data {
        guard let redirect = request.redirect else { return request.dataRequest?.received ?? Data() }
        guard let url = redirect.url, ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw MediaErrors.unsupportedURL
        }
        let data = try system.media.fetchKey(url.absoluteString)
        return data
    }
}

extension AVAssetResourceLoadingRequest {
    /// Ends a request that the delegate did not accept (rule 92).
    fileprivate func refuse() {
        let completion = state.withLock { state in
            defer { state.completion = nil }
            return state.completion
        }
        completion?(self, MediaErrors.unsupportedURL)
    }
}

extension AVAssetResourceLoader {
    /// Rule 98: a renewal request comes at the date, as long as the key is needed.
    private func scheduleRenewal(at date: Date, url: URL?, _ subject: ResourceSubject, _ key: any FairPlayKey) {
        let delay = date.timeIntervalSince(system.clock.date)
        system.clock.schedule(after: .seconds(max(0, delay))) { [weak self] in self?.renew(url, subject, key) }
    }

    private func renew(_ url: URL?, _ subject: ResourceSubject, _ key: any FairPlayKey) {
        guard let url, let uri = subject.key?.uri, isNeeded(uri) else { return }
        var renewal = subject
        renewal.renewedKey = key
        system.deliver(on: delegateQueue ?? workQueue) { [self, renewal] in
            let request = AVAssetResourceRenewalRequest(renewal, request: URLRequest(url: url), system: system) {
                [weak self] request, error in
                self?.remove(request)
                guard let self, error == nil, let renewed = try? self.key(of: request, renewal) else { return }
                replaceKey(renewed, for: uri)
            }
            send(request) { $0.resourceLoader(self, shouldWaitForRenewalOfRequestedResource: request) }
        }
    }
}

/// A value that one queue uses.
struct UncheckedBox<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}

extension AVAssetResourceLoader {
    /// The items whose asset has this loader.
    func addUser(_ engine: PlaybackEngine) { state.withLock { $0.users.append(WeakReference(engine)) } }

    func isNeeded(_ uri: String) -> Bool {
        state.withLock { $0.users }.contains { $0.object?.uses(uri) == true }
    }

    func replaceKey(_ key: LoadedKey, for uri: String) {
        for user in state.withLock({ $0.users }) { user.object?.replaceKey(key, for: uri) }
    }

    /// Rule 100: loads the keys of EXT-X-SESSION-KEY tags through the delegate, if the app wants it.
    func preload(_ keys: [StreamContent.Key]) {
        guard preloadsEligibleContentKeys, delegate != nil else { return }
        for key in keys where state.withLock({ $0.keyPreloads[key.uri] == nil }) {
            state.withLock { $0.keyPreloads[key.uri] = .pending([]) }
            request(key, route: .local) { [weak self] result in
                guard let self else { return }
                let waiting = state.withLock { state in
                    defer { state.keyPreloads[key.uri] = .ended(result) }
                    if case .pending(let waiting)? = state.keyPreloads[key.uri] { return waiting }
                    return []
                }
                for completion in waiting { completion(result) }
            }
        }
    }
}
