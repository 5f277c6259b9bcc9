/// A delegate that answers requests and is notified of their results.
///
/// The session calls its methods in the order of events and waits for them, so they must return soon: run long work in
/// a separate task. Every method except the first has a default implementation that does nothing, unless stated
/// otherwise.
public protocol KeySessionDelegate: AnyObject, Sendable {
    /// Delivers a request to be answered.
    func contentKeySession(_ session: KeySession, didProvide keyRequest: ContentKeyRequest)
    /// Delivers requests that were made together, for the keys of one initialization data. The default calls the method
    /// for a single request with each.
    func contentKeySession(
        _ session: KeySession,
        didProvide keyRequests: [ContentKeyRequest],
        forInitializationData initializationData: [UInt8]?
    )
    /// Delivers a request whose response renews a key in use. The default handles it like any other request.
    func contentKeySession(_ session: KeySession, didProvideRenewing keyRequest: ContentKeyRequest)
    /// Delivers a request that was converted into a request for a persistable key.
    func contentKeySession(_ session: KeySession, didProvide keyRequest: PersistableContentKeyRequest)
    /// Reports that the persistent key for this identifier is no longer valid and that `persistableContentKey` replaces
    /// it.
    func contentKeySession(
        _ session: KeySession,
        didUpdatePersistableContentKey persistableContentKey: [UInt8],
        forContentKeyIdentifier identifier: String
    )
    /// Reports that a request failed.
    func contentKeySession(
        _ session: KeySession,
        contentKeyRequest keyRequest: ContentKeyRequest,
        didFailWithError error: ContentKeyError
    )
    /// Returns whether to retry the request. The default returns false, and the request fails.
    func contentKeySession(
        _ session: KeySession,
        shouldRetry keyRequest: ContentKeyRequest,
        reason: ContentKeyRetryReason
    ) -> Bool
    /// Reports that the device accepted the response.
    func contentKeySession(_ session: KeySession, contentKeyRequestDidSucceed keyRequest: ContentKeyRequest)
    /// Reports that a key was stopped.
    func contentKeySession(
        _ session: KeySession,
        didStop contentKey: ContentKey,
        cause: ContentKeyStopCause
    )
    /// Reports that the external content protection status of this key has changed.
    func contentKeySession(
        _ session: KeySession,
        externalProtectionStatusDidChangeFor contentKey: ContentKey
    )
    /// Reports that reports of this session's end are ready to be sent.
    func contentKeySessionDidGenerateExpiredSessionReport(_ session: KeySession)
}

extension KeySessionDelegate {
    /// Calls the method for a single request with each request.
    public func contentKeySession(
        _ session: KeySession,
        didProvide keyRequests: [ContentKeyRequest],
        forInitializationData _: [UInt8]?
    ) {
        for request in keyRequests { contentKeySession(session, didProvide: request) }
    }
    /// Handles the request like any other request.
    public func contentKeySession(_ session: KeySession, didProvideRenewing keyRequest: ContentKeyRequest) {
        contentKeySession(session, didProvide: keyRequest)
    }
    /// Does nothing.
    public func contentKeySession(_: KeySession, didProvide _: PersistableContentKeyRequest) {}
    /// Does nothing.
    public func contentKeySession(
        _: KeySession,
        didUpdatePersistableContentKey _: [UInt8],
        forContentKeyIdentifier _: String
    ) {}
    /// Does nothing.
    public func contentKeySession(
        _: KeySession,
        contentKeyRequest _: ContentKeyRequest,
        didFailWithError _: ContentKeyError
    ) {}
    /// Returns false, so that the request fails.
    public func contentKeySession(
        _: KeySession,
        shouldRetry _: ContentKeyRequest,
        reason _: ContentKeyRetryReason
    ) -> Bool { false }
    /// Does nothing.
    public func contentKeySession(_: KeySession, contentKeyRequestDidSucceed _: ContentKeyRequest) {}
    /// Does nothing.
    public func contentKeySession(
        _: KeySession,
        didStop _: ContentKey,
        cause _: ContentKeyStopCause
    ) {}
    /// Does nothing.
    public func contentKeySession(_: KeySession, externalProtectionStatusDidChangeFor _: ContentKey) {}
    /// Does nothing.
    public func contentKeySessionDidGenerateExpiredSessionReport(_: KeySession) {}
}
