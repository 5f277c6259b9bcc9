import Locking

/// A request of a ``KeySession``. It does not retain the session, and is cancelled when the session is deallocated.
public final class ContentKeyRequest: ContentKeyLoading {
    /// An ID that is unique within a session and ascends from 1.
    public let id: UInt64
    /// The URI of the EXT-X-KEY tag.
    public let identifier: String
    /// The key system of the expected response.
    public let keySystem: ContentKeySystem
    /// True if the response renews a key in use.
    public let isRenewal: Bool
    /// True if a persistable key was requested and this request can provide one.
    public let requestsPersistableKey: Bool
    /// The output route of the content.
    public let route: ContentKeyRoute
    /// The container's data about the key.
    public let initializationData: [UInt8]?
    /// The options of the key request.
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
        (isRenewal, requestsPersistableKey) = (request.isRenewal, request.requestsPersistableKey)
        (initializationData, options) = (request.initializationData, request.options)
        keySystem = session.keySystem
        self.session = WeakSession(session)
        state = Lock(State(isAwaited: isAwaited))
    }

    /// The status of the request.
    public var status: ContentKeyRequestStatus {
        let status = state.withLock { $0.status }
        return status == .requestingResponse && session.value == nil ? .cancelled : status
    }

    /// The error of the request, or the reason for a possible retry, if any.
    public var error: ContentKeyError? { state.withLock { $0.error } }

    /// True if the request waits for a response.
    public var isOpen: Bool { status == .requestingResponse }

    /// True if a recipient waits or has waited for the key.
    public var isAwaited: Bool { state.withLock { $0.isAwaited } }

    /// The protocol versions that the player read in the playlist; nil if the key was requested without a playlist.
    public var declaredProtocolVersions: [UInt32]? { options.protocolVersions }

    /// The lease duration when the device accepted the response; nil before that or without a lease.
    public var grantedLease: Duration? { state.withLock { $0.lease } }

    func set(_ status: ContentKeyRequestStatus) { state.withLock { $0.status = status } }
    func set(_ error: ContentKeyError) { state.withLock { $0.error = error } }
    func setAwaited() { state.withLock { $0.isAwaited = true } }
    func setLease(_ lease: Duration?) { state.withLock { $0.lease = lease } }

    /// Creates the SPC for the key server with ``declaredProtocolVersions``; version 1 if they are not known.
    public func makeStreamingContentKeyRequestData(
        certificate: [UInt8],
        contentIdentifier: [UInt8]
    ) async throws(ContentKeyError) -> [UInt8] {
        try await makeStreamingContentKeyRequestData(
            certificate: certificate,
            contentIdentifier: contentIdentifier,
            protocolVersions: declaredProtocolVersions ?? [1]
        )
    }

    /// Creates the SPC for the key server.
    public func makeStreamingContentKeyRequestData(
        certificate: [UInt8],
        contentIdentifier: [UInt8],
        protocolVersions: [UInt32]
    ) async throws(ContentKeyError) -> [UInt8] {
        try await activeSession().makeRequestData(self, certificate, contentIdentifier, protocolVersions)
    }

    /// Converts this request into a request for a persistable key.
    public func respondByRequestingPersistableKey() async throws(ContentKeyError) {
        try await activeSession().requestPersistable(self)
    }

    /// Creates the persistent key from a CKC.
    public func persistableContentKey(
        fromKeyVendorResponse response: [UInt8]
    ) async throws(ContentKeyError) -> [UInt8] {
        try await activeSession().makePersistableKey(self, response)
    }

    /// Answers the request. A second response has no effect.
    @discardableResult
    public func processContentKeyResponse(_ response: ContentKeyResponse) async -> ContentKeyRequestStatus {
        await session.value?.respond(self, response) ?? status
    }

    /// Fails the request with an error instead of a response. Has no effect after a response.
    public func processContentKeyResponseError(_ error: any Error) async {
        let error =
            error as? ContentKeyError
            ?? ContentKeyError(
                .noResponse,
                .response,
                // The failure of a key loader contains no secrets; another error might.
                reason: (error as? KeyFailure)?.description ?? "the app reported an error of type \(type(of: error))"
            )
        await session.value?.fail(self, error)
    }

    private func activeSession() throws(ContentKeyError) -> KeySession {
        guard let session = session.value else { throw ContentKeyError(.sessionExpired, .session) }
        return session
    }
}

extension ContentKeyRequest: CustomStringConvertible {
    /// The ID, the identifier and the status.
    public var description: String { "request \(id) for \(identifier), \(status.rawValue)" }
}

/// A request that was converted into a request for a persistable key.
public struct PersistableContentKeyRequest: Sendable {
    /// The request.
    public let request: ContentKeyRequest

    /// Creates the persistent key from the CKC that answers the request's SPC. Answer the request with the persistent
    /// key.
    public func persistableContentKey(
        fromKeyVendorResponse response: [UInt8]
    ) async throws(ContentKeyError) -> [UInt8] {
        try await request.persistableContentKey(fromKeyVendorResponse: response)
    }
}
