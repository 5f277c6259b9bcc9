#if canImport(AVFoundation)
import AVFoundation
import ContentKeySession
import Locking

/// An AVContentKeySession with its delegate, its open requests and its loaded keys.
///
/// AVFoundation holds the delegate weakly, and raises an exception when a request is answered whose session was
/// released. So each open request holds its core, and with it the session and the delegate, until its result. The core
/// holds its requests weakly; unanswered ones are held by ``broadcast``.
final class SessionCore: Sendable {
    typealias Persistable = Result<AVPersistableContentKeyRequest, ContentKeyError>

    private struct State {
        var lastID: UInt64 = 0
        var open: [UInt64: WeakRequest] = [:]
        /// The waiters for AVFoundation's persistable request, by key.
        var waiters: [String: [(id: UInt64, continuation: CheckedContinuation<Persistable, Never>)]] = [:]
        /// The keys that this session has loaded. AVFoundation does not request them again.
        var loaded = LoadedKeys()
        /// The number of retries for each key since it was last loaded.
        var retries: [String: Int] = [:]
        var isEnded = false
    }

    /// A reference from the core to a request.
    private struct WeakRequest {
        weak var request: PlatformContentKeyRequest?
    }

    let settings: PlatformSessionSettings
    let keySystem: ContentKeySystem
    // AVContentKeySession is not Sendable in SDKs before 27. It calls its delegate on a separate queue while another
    // thread adds recipients, so it must support calls from several threads.
    let session: PlatformObject<AVContentKeySession>
    let broadcast = Broadcast<any ContentKeyLoading>()
    let events = Broadcast<PlatformContentKeyEvent>()
    private let delegate: PlatformSessionDelegate
    private let state = Lock(State())

    init(_ keySystem: ContentKeySystem, _ settings: PlatformSessionSettings, _ environment: PlatformEnvironment) {
        (self.keySystem, self.settings) = (keySystem, settings)
        // In a simulator, a FairPlay session would raise an exception. A clear key session takes its place, so that the
        // app runs; its FairPlay requests fail with an error.
        let platform = environment == .simulator ? .clearKey : keySystem.platform
        let object =
            settings.storageDirectory.map { AVContentKeySession(keySystem: platform, storageDirectoryAt: $0) }
            ?? AVContentKeySession(keySystem: platform)
        #if SDK_27 || compiler(>=6.4)
        #if (os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS)
        // Once on, it cannot be turned off. Its use with persistable keys is not documented.
        if settings.allowsAdvisoryKeys, settings.persistentKeys == nil, #available(iOS 27, tvOS 27, *) {
            object.supportsAdvisoryKeys = true
        }
        #endif
        #endif
        session = PlatformObject(object)
        delegate = PlatformSessionDelegate(settings.persistentKeys)
        delegate.attach(to: self)
        object.setDelegate(delegate, queue: DispatchQueue(label: "org.keyway.content-key-session"))
    }

    deinit { delegate.end() }

    // MARK: Requests

    /// Handles a request from AVFoundation and passes it to the key loader.
    func handle(_ request: AVContentKeyRequest, isRenewal: Bool) {
        guard let identifier = text(ofIdentifier: request.identifier) else {
            return request.processContentKeyResponseError(PlatformFailure.unreadableIdentifier)
        }
        if let request = request as? AVPersistableContentKeyRequest, let waiter = nextWaiter(for: identifier) {
            return waiter.resume(returning: .success(request))
        }
        let handled: PlatformContentKeyRequest? = state.withLock { state in
            guard !state.isEnded else { return nil }
            state.lastID += 1
            let handled = PlatformContentKeyRequest(
                request,
                id: state.lastID,
                identifier: identifier,
                isRenewal: isRenewal,
                core: self
            )
            state.open[handled.id] = WeakRequest(request: handled)
            return handled
        }
        // The session has ended, so that no loader will answer.
        guard let handled else { return request.processContentKeyResponseError(PlatformFailure.sessionEnded) }
        broadcast.add(handled, waitingAs: handled.id)
    }

    /// Returns the open request of an AVFoundation object. AVFoundation may deliver a renewal as an object that it has
    /// delivered before, so a request that waits for its result is also found by its key.
    func request(for object: AVContentKeyRequest) -> PlatformContentKeyRequest? {
        let open = state.withLock { $0.open }.sorted { $0.key < $1.key }.compactMap(\.value.request)
        if let request = open.last(where: { $0.current === object }) { return request }
        let identifier = text(ofIdentifier: object.identifier)
        return open.first { $0.identifier == identifier && $0.awaitsResult }
    }

    /// Removes a request that has ended.
    func close(_ id: UInt64) {
        state.withLock { $0.open[id] = nil }
        broadcast.resolve(id)
    }

    /// Ends the sequences of requests and events. A request for which an SPC was made can still be answered.
    func detach() {
        let (open, waiters) = state.withLock { state in
            defer { (state.isEnded, state.waiters) = (true, [:]) }
            return (state.open, state.waiters.values.flatMap { $0.map(\.continuation) })
        }
        for waiter in waiters { waiter.resume(returning: .failure(ContentKeyError(.sessionExpired, .session))) }
        for request in open.values.compactMap(\.request) where !request.isInProgress { request.complete(.cancelled) }
        broadcast.finish()
        events.finish()
    }

    /// Ends the session, its requests and its keys.
    func expire() {
        session.object.expire()
        let open = state.withLock { $0.open }.values.compactMap(\.request)
        state.withLock { $0.loaded = LoadedKeys() }
        detach()
        for request in open { request.complete(.cancelled) }
    }

    /// True after ``expire()`` or ``detach()``.
    var isEnded: Bool { state.withLock { $0.isEnded } }

    // MARK: Persistable requests

    /// Requests the persistable request that replaces a request.
    ///
    /// - Throws: ``ContentKeyError/Code/persistenceNotAllowed``; the request is then still an online request.
    func persistableRequest(
        for request: PlatformContentKeyRequest,
        _ object: AVContentKeyRequest
    ) async throws(ContentKeyError) -> AVPersistableContentKeyRequest {
        let timeout = Task { [weak self, settings] in
            guard (try? await settings.clock.sleep(for: settings.resultTimeout)) != nil else { return }
            self?.rejectPersistence(request.id, request.identifier, "AVFoundation provided no persistable request")
        }
        defer { timeout.cancel() }
        let result: Persistable = await withCheckedContinuation { continuation in
            // Added first, because the persistable request may arrive before the call returns.
            let isEnded = state.withLock { state in
                if !state.isEnded {
                    state.waiters[request.identifier, default: []].append((request.id, continuation))
                }
                return state.isEnded
            }
            guard !isEnded else {
                continuation.resume(returning: .failure(ContentKeyError(.sessionExpired, .session)))
                return
            }
            do {
                // Swift shortens the method's name if no other method has the short name.
                #if os(iOS)
                try object.respondByRequestingPersistableContentKeyRequestAndReturnError()
                #else
                try object.respondByRequestingPersistableContentKeyRequest()
                #endif
            } catch {
                let platform = ContentKeyError(platform: error, .request)
                rejectPersistence(request.id, request.identifier, platform.reason ?? "not allowed")
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
    func rejectPersistence(_ id: UInt64, _ identifier: String, _ reason: String) {
        let waiter = state.withLock { state in
            let index = state.waiters[identifier]?.firstIndex { $0.id == id }
            return index.flatMap { state.waiters[identifier]?.remove(at: $0).continuation }
        }
        waiter?.resume(returning: .failure(ContentKeyError(.persistenceNotAllowed, .request, reason: reason)))
    }

    // MARK: Keys

    /// Notes that a key was loaded.
    func note(loaded identifier: String, by request: AVContentKeyRequest) {
        state.withLock { state in
            state.loaded.add(identifier, request)
            state.retries[identifier] = nil
        }
    }

    /// Notes that a key is no longer loaded.
    func note(unloaded identifier: String) { state.withLock { $0.loaded.remove(identifier) } }

    /// Returns whether this session has loaded a key, so that AVFoundation does not request it again.
    func hasLoaded(_ identifier: String) -> Bool { state.withLock { $0.loaded.contains(identifier) } }

    /// Returns the request that loaded a key, which a renewal needs.
    func requestThatLoaded(_ identifier: String) -> AVContentKeyRequest? {
        state.withLock { $0.loaded.request(identifier) }
    }

    /// Returns whether a key can be retried, up to a limit of consecutive retries.
    func mayRetry(_ identifier: String) -> Bool {
        state.withLock { state in
            // Bounds the dictionary in case a server specifies ever new keys.
            if state.retries.count > 1000 { state.retries.removeAll() }
            state.retries[identifier, default: 0] += 1
            return state.retries[identifier, default: 0] <= settings.retries
        }
    }
}

/// The keys that a session has loaded. AVFoundation keeps its keys until the session ends, so the identifiers are kept
/// longer than the requests, which only a renewal needs: a live channel changes keys for months.
struct LoadedKeys {
    /// More keys than a title has.
    static let maximumRequests = 256
    static let maximumIdentifiers = 16_384

    private var requests = Recent<AVContentKeyRequest>(maximum: maximumRequests)
    private var identifiers = Recent<Void>(maximum: maximumIdentifiers)

    mutating func add(_ identifier: String, _ request: AVContentKeyRequest) {
        requests.add(identifier, request)
        identifiers.add(identifier, ())
    }
    mutating func remove(_ identifier: String) {
        requests.remove(identifier)
        identifiers.remove(identifier)
    }
    func contains(_ identifier: String) -> Bool { identifiers[identifier] != nil }
    func request(_ identifier: String) -> AVContentKeyRequest? { requests[identifier] }

    /// A dictionary that drops its oldest entry when it is full.
    private struct Recent<Value> {
        let maximum: Int
        private var values: [String: (value: Value, serial: UInt64)] = [:]
        private var lastSerial: UInt64 = 0

        init(maximum: Int) { self.maximum = maximum }

        subscript(_ identifier: String) -> Value? { values[identifier]?.value }

        mutating func add(_ identifier: String, _ value: Value) {
            lastSerial += 1
            values[identifier] = (value, lastSerial)
            guard values.count > maximum, let oldest = values.min(by: { $0.value.serial < $1.value.serial }) else {
                return
            }
            values[oldest.key] = nil
        }

        mutating func remove(_ identifier: String) { values[identifier] = nil }
    }
}
#endif
