#if canImport(AVFoundation)
import AVFoundation
import ContentKeySession
import Locking

/// The requests of a session: which of AVFoundation's objects belongs to which, and what waits for what.
final class RequestLedger: Sendable {
    typealias Persistable = Result<AVPersistableContentKeyRequest, ContentKeyError>

    private struct State {
        var lastID: UInt64 = 0
        var open: [UInt64: PlatformContentKeyRequest] = [:]
        /// Those that wait for AVFoundation's persistable request, by the key.
        var waiters: [String: [(id: UInt64, continuation: CheckedContinuation<Persistable, Never>)]] = [:]
        /// The last request that brought each key, which a renewal needs; in the order in which the keys came.
        var loaded: [(identifier: String, request: AVContentKeyRequest)] = []
        /// How often each key was tried again since it last came.
        var retries: [String: Int] = [:]
    }

    /// How many keys are remembered: more than a title has, and less than a live channel has in a year.
    private static let maximumLoaded = 256

    let keySystem: ContentKeySystem
    /// How long AVFoundation may take to say what became of an answer, or to bring a persistable request.
    let patience: Duration
    let feed = Feed<any ContentKeyLoading>()
    private let keepsKey: @Sendable (String) -> Bool
    private let state = Lock(State())

    init(_ keySystem: ContentKeySystem, patience: Duration, keepsKey: @escaping @Sendable (String) -> Bool) {
        (self.keySystem, self.patience, self.keepsKey) = (keySystem, patience, keepsKey)
    }

    // MARK: Requests

    /// Takes a request that AVFoundation brought, and gives it to who answers.
    func take(_ request: AVContentKeyRequest, isRenewal: Bool) {
        guard let identifier = text(ofIdentifier: request.identifier) else {
            let error = ContentKeyError(.platformError, .request, reason: "the key's identifier is no text")
            return request.processContentKeyResponseError(error)
        }
        if let request = request as? AVPersistableContentKeyRequest, let waiter = nextWaiter(for: identifier) {
            return waiter.resume(returning: .success(request))
        }
        let taken = state.withLock { state in
            state.lastID += 1
            let taken = PlatformContentKeyRequest(
                request,
                id: state.lastID,
                identifier: identifier,
                isRenewal: isRenewal,
                keepsKey: keepsKey(identifier),
                ledger: self
            )
            state.open[taken.id] = taken
            return taken
        }
        feed.add(taken, waitingAs: taken.id)
    }

    /// The request that an object of AVFoundation belongs to.
    func request(for object: AVContentKeyRequest) -> PlatformContentKeyRequest? {
        let open = state.withLock { $0.open.values.sorted { $0.id < $1.id } }
        if let exact = open.first(where: { $0.current === object }) { return exact }
        // A persistable request stands for the one that it was made of.
        let identifier = text(ofIdentifier: object.identifier)
        return open.first { $0.identifier == identifier && $0.awaitsVerdict }
    }

    /// A request has ended.
    func close(_ request: PlatformContentKeyRequest) {
        state.withLock { $0.open[request.id] = nil }
        feed.settle(request.id)
    }

    /// Nothing follows.
    func end() {
        let (open, waiters) = state.withLock { state in
            defer { (state.open, state.waiters, state.loaded) = ([:], [:], []) }
            return (state.open.values.map(\.self), state.waiters.values.flatMap { $0.map(\.continuation) })
        }
        for waiter in waiters { waiter.resume(returning: .failure(ContentKeyError(.sessionExpired, .session))) }
        for request in open { request.settle(.cancelled) }
        feed.finish()
    }

    // MARK: Persistable requests

    /// Asks AVFoundation for the persistable request that takes a request's place.
    func persistableRequest(
        for request: PlatformContentKeyRequest,
        _ object: AVContentKeyRequest
    ) async throws(ContentKeyError) -> AVPersistableContentKeyRequest {
        let patience = Task { [weak self, patience] in
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            self?.giveUp(request, "no persistable request came")
        }
        defer { patience.cancel() }
        let result: Persistable = await withCheckedContinuation { continuation in
            // First of all: it may come before the call returns.
            state.withLock { $0.waiters[request.identifier, default: []].append((request.id, continuation)) }
            do {
                // Swift shortens the method's name where no other method has the short one.
                #if os(iOS)
                try object.respondByRequestingPersistableContentKeyRequestAndReturnError()
                #else
                try object.respondByRequestingPersistableContentKeyRequest()
                #endif
            } catch {
                giveUp(request, "AVFoundation says that the key cannot be kept here")
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

    /// The request is an ordinary one still.
    func giveUp(_ request: PlatformContentKeyRequest, _ reason: String) {
        let waiter = state.withLock { state in
            let index = state.waiters[request.identifier]?.firstIndex { $0.id == request.id }
            return index.flatMap { state.waiters[request.identifier]?.remove(at: $0).continuation }
        }
        waiter?.resume(returning: .failure(ContentKeyError(.persistenceNotAllowed, .request, reason: reason)))
    }

    // MARK: Keys

    /// A key came.
    func note(loaded identifier: String, by request: AVContentKeyRequest) {
        state.withLock { state in
            state.loaded.removeAll { $0.identifier == identifier }
            state.loaded.append((identifier, request))
            if state.loaded.count > Self.maximumLoaded { state.loaded.removeFirst() }
            state.retries[identifier] = nil
        }
    }

    /// The request that brought a key.
    func loaded(_ identifier: String) -> AVContentKeyRequest? {
        state.withLock { $0.loaded.last { $0.identifier == identifier }?.request }
    }

    /// Whether a key may be tried once more: so often in a row, and not for ever.
    func mayRetry(_ identifier: String, atMost limit: Int) -> Bool {
        state.withLock { state in
            // A server that names ever new keys must not make this grow.
            if state.retries.count > 1000 { state.retries.removeAll() }
            state.retries[identifier, default: 0] += 1
            return state.retries[identifier, default: 0] <= limit
        }
    }
}
#endif
