#if canImport(AVFoundation)
import AVFoundation
import ContentKeySession
import Locking

/// The open requests of a session, with their AVFoundation objects and waiters.
final class RequestLedger: Sendable {
    typealias Persistable = Result<AVPersistableContentKeyRequest, ContentKeyError>

    private struct State {
        var lastID: UInt64 = 0
        var open: [UInt64: PlatformContentKeyRequest] = [:]
        /// The waiters for AVFoundation's persistable request, by key.
        var waiters: [String: [(id: UInt64, continuation: CheckedContinuation<Persistable, Never>)]] = [:]
        /// The last request that loaded each key, which a renewal needs; in the order in which the keys were loaded.
        var loaded: [(identifier: String, request: AVContentKeyRequest)] = []
        /// The number of retries for each key since it was last loaded.
        var retries: [String: Int] = [:]
    }

    /// The maximum number of keys to track: more than a title has, and fewer than a live channel uses in a year.
    private static let maximumLoaded = 256

    let keySystem: ContentKeySystem
    /// The timeout for AVFoundation to report the result of a response, or to provide a persistable request.
    let resultTimeout: Duration
    let broadcast = Broadcast<any ContentKeyLoading>()
    private let storesKey: @Sendable (String) -> Bool
    private let state = Lock(State())

    init(_ keySystem: ContentKeySystem, resultTimeout: Duration, storesKey: @escaping @Sendable (String) -> Bool) {
        (self.keySystem, self.resultTimeout, self.storesKey) = (keySystem, resultTimeout, storesKey)
    }

    // MARK: Requests

    /// Handles a request from AVFoundation and passes it to the key loader.
    func handle(_ request: AVContentKeyRequest, isRenewal: Bool) {
        guard let identifier = text(ofIdentifier: request.identifier) else {
            let error = ContentKeyError(.platformError, .request, reason: "the key's identifier is not a string")
            return request.processContentKeyResponseError(error)
        }
        if let request = request as? AVPersistableContentKeyRequest, let waiter = nextWaiter(for: identifier) {
            return waiter.resume(returning: .success(request))
        }
        let handled = state.withLock { state in
            state.lastID += 1
            let handled = PlatformContentKeyRequest(
                request,
                id: state.lastID,
                identifier: identifier,
                isRenewal: isRenewal,
                storesKey: storesKey(identifier),
                ledger: self
            )
            state.open[handled.id] = handled
            return handled
        }
        broadcast.add(handled, waitingAs: handled.id)
    }

    /// Returns the request that an AVFoundation object belongs to.
    func request(for object: AVContentKeyRequest) -> PlatformContentKeyRequest? {
        let open = state.withLock { $0.open.values.sorted { $0.id < $1.id } }
        if let exact = open.first(where: { $0.current === object }) { return exact }
        // A persistable request replaces the request that it was made from.
        let identifier = text(ofIdentifier: object.identifier)
        return open.first { $0.identifier == identifier && $0.awaitsResult }
    }

    /// Removes a request that has ended.
    func close(_ request: PlatformContentKeyRequest) {
        state.withLock { $0.open[request.id] = nil }
        broadcast.resolve(request.id)
    }

    /// Ends all requests and waiters.
    func end() {
        let (open, waiters) = state.withLock { state in
            defer { (state.open, state.waiters, state.loaded) = ([:], [:], []) }
            return (state.open.values.map(\.self), state.waiters.values.flatMap { $0.map(\.continuation) })
        }
        for waiter in waiters { waiter.resume(returning: .failure(ContentKeyError(.sessionExpired, .session))) }
        for request in open { request.complete(.cancelled) }
        broadcast.finish()
    }

    // MARK: Persistable requests

    /// Requests the persistable request that replaces a request.
    func persistableRequest(
        for request: PlatformContentKeyRequest,
        _ object: AVContentKeyRequest
    ) async throws(ContentKeyError) -> AVPersistableContentKeyRequest {
        let resultTimeout = Task { [weak self, resultTimeout] in
            guard (try? await Task.sleep(for: resultTimeout)) != nil else { return }
            self?.rejectPersistence(request, "AVFoundation provided no persistable request")
        }
        defer { resultTimeout.cancel() }
        let result: Persistable = await withCheckedContinuation { continuation in
            // Added first, because the persistable request may arrive before the call returns.
            state.withLock { $0.waiters[request.identifier, default: []].append((request.id, continuation)) }
            do {
                // Swift shortens the method's name if no other method has the short name.
                #if os(iOS)
                try object.respondByRequestingPersistableContentKeyRequestAndReturnError()
                #else
                try object.respondByRequestingPersistableContentKeyRequest()
                #endif
            } catch {
                rejectPersistence(request, "AVFoundation does not allow a persistent key")
            }
        }
        return try result.get()
    }

    private func nextWaiter(for identifier: String) -> CheckedContinuation<Persistable, Never>? {
        state.withLock { state in
            guard var waiting = state.waiters[identifier], !waiting.isEmpty else { return nil }
            defer { state.waiters[identifier] = waiting.isEmpty ? nil : waiting }
            return waiting.removeFirst().continuation
        }
    }

    /// Ends the wait for a persistable request; the request is still an online request.
    func rejectPersistence(_ request: PlatformContentKeyRequest, _ reason: String) {
        let waiter = state.withLock { state in
            let index = state.waiters[request.identifier]?.firstIndex { $0.id == request.id }
            return index.flatMap { state.waiters[request.identifier]?.remove(at: $0).continuation }
        }
        waiter?.resume(returning: .failure(ContentKeyError(.persistenceNotAllowed, .request, reason: reason)))
    }

    // MARK: Keys

    /// Notes that a key was loaded.
    func note(loaded identifier: String, by request: AVContentKeyRequest) {
        state.withLock { state in
            state.loaded.removeAll { $0.identifier == identifier }
            state.loaded.append((identifier, request))
            if state.loaded.count > Self.maximumLoaded { state.loaded.removeFirst() }
            state.retries[identifier] = nil
        }
    }

    /// Returns the request that loaded a key.
    func loaded(_ identifier: String) -> AVContentKeyRequest? {
        state.withLock { $0.loaded.last { $0.identifier == identifier }?.request }
    }

    /// Returns whether a key can be retried, up to a limit of consecutive retries.
    func mayRetry(_ identifier: String, atMost limit: Int) -> Bool {
        state.withLock { state in
            // Bounds the dictionary in case a server specifies ever new keys.
            if state.retries.count > 1000 { state.retries.removeAll() }
            state.retries[identifier, default: 0] += 1
            return state.retries[identifier, default: 0] <= limit
        }
    }
}
#endif
