import Locking

/// A request of a ``KeySession``. It does not keep the session alive, and dies with it.
public final class ContentKeyRequest: ContentKeyLoading {
    /// Unique within a session, ascending from 1.
    public let id: UInt64
    /// The EXT-X-KEY's URI.
    public let identifier: String
    /// What kind of answer is expected.
    public let keySystem: ContentKeySystem
    /// Whether the answer renews a key in use.
    public let isRenewal: Bool
    /// Whether a persistable key was asked for and this request may carry one.
    public let canProvidePersistableKey: Bool
    /// Where the content goes.
    public let route: ContentKeyRoute
    /// What the container says of the key.
    public let initializationData: [UInt8]?
    /// What was said when the key was asked for.
    public let options: ContentKeyRequestOptions

    private let session: WeakSession
    private struct State: Sendable {
        var status = ContentKeyRequestStatus.requestingResponse
        var error: ContentKeyError?
        var lease: Duration?
        var isAwaited = false
    }
    private let state: Lock<State>

    init(_ request: KeySessionMachine.Request, isAwaited: Bool, session: KeySession) {
        (id, identifier, route) = (request.id, request.name.identifier, request.name.route)
        (isRenewal, canProvidePersistableKey) = (request.isRenewal, request.canProvidePersistableKey)
        (initializationData, options) = (request.initializationData, request.options)
        keySystem = session.keySystem
        self.session = WeakSession(session)
        state = Lock(State(isAwaited: isAwaited))
    }

    /// Where it stands.
    public var status: ContentKeyRequestStatus {
        let status = state.withLock { $0.status }
        return status == .requestingResponse && session.value == nil ? .cancelled : status
    }

    /// Why it failed, or why it may be retried; nil unless it did.
    public var error: ContentKeyError? { state.withLock { $0.error } }

    /// Whether it waits for an answer.
    public var isOpen: Bool { status == .requestingResponse }

    /// Whether a recipient waits for the key, or has waited.
    public var isAwaited: Bool { state.withLock { $0.isAwaited } }

    /// How long the lease lasted when the device took the answer; nil where there is none, or before that.
    public var grantedLease: Duration? { state.withLock { $0.lease } }

    func set(_ status: ContentKeyRequestStatus) { state.withLock { $0.status = status } }
    func set(_ error: ContentKeyError) { state.withLock { $0.error = error } }
    func setAwaited() { state.withLock { $0.isAwaited = true } }
    func setLease(_ lease: Duration?) { state.withLock { $0.lease = lease } }

    /// Makes the SPC for the key server.
    public func makeStreamingContentKeyRequestData(
        certificate: [UInt8],
        contentIdentifier: [UInt8],
        protocolVersions: [UInt32] = [1]
    ) async throws(ContentKeyError) -> [UInt8] {
        try await living().makeRequestData(self, certificate, contentIdentifier, protocolVersions)
    }

    /// Turns this request into one for a persistable key.
    public func respondByRequestingPersistableKey() async throws(ContentKeyError) {
        try await living().requestPersistable(self)
    }

    /// Makes the key to be stored from a CKC.
    public func persistableContentKey(
        fromKeyVendorResponse response: [UInt8]
    ) async throws(ContentKeyError) -> [UInt8] {
        try await living().makePersistableKey(self, response)
    }

    /// The answer. A second one changes nothing.
    @discardableResult
    public func processContentKeyResponse(_ response: ContentKeyResponse) async -> ContentKeyRequestStatus {
        await session.value?.respond(self, response) ?? status
    }

    /// Says that there will be no answer, and why. Comes to nothing after an answer.
    public func processContentKeyResponseError(_ error: any Error) async {
        let error =
            error as? ContentKeyError
            ?? ContentKeyError(.noResponse, .response, reason: "the app gave \(type(of: error))")
        await session.value?.fail(self, error)
    }

    private func living() throws(ContentKeyError) -> KeySession {
        guard let session = session.value else { throw ContentKeyError(.sessionExpired, .session) }
        return session
    }
}

extension ContentKeyRequest: CustomStringConvertible {
    /// Number, identifier and status.
    public var description: String { "request \(id) for \(identifier), \(status.rawValue)" }
}

/// A request that was turned into one for a persistable key.
public struct PersistableContentKeyRequest: Sendable {
    /// The request.
    public let request: ContentKeyRequest

    /// Makes the key to be stored from the CKC that answers the request's SPC. Answer the request with the stored key.
    public func persistableContentKey(
        fromKeyVendorResponse response: [UInt8]
    ) async throws(ContentKeyError) -> [UInt8] {
        try await request.persistableContentKey(fromKeyVendorResponse: response)
    }
}
