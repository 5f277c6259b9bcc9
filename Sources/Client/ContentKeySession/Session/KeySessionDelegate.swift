/// Who answers requests, and is told of what becomes of them.
///
/// The session calls it in the order of events and waits for it, so it must return soon: what takes long belongs into a
/// task of its own. Every method but the first has a default that does nothing.
public protocol KeySessionDelegate: AnyObject, Sendable {
    /// Here is a request, to be answered.
    func contentKeySession(_ session: KeySession, didProvide keyRequest: ContentKeyRequest)
    /// Here are requests that were asked for together, for the keys that one piece of initialization data names. By default
    /// as that many single requests.
    func contentKeySession(
        _ session: KeySession,
        didProvide keyRequests: [ContentKeyRequest],
        forInitializationData initializationData: [UInt8]?
    )
    /// Here is a request whose answer renews a key in use. By default as any other request.
    func contentKeySession(_ session: KeySession, didProvideRenewing keyRequest: ContentKeyRequest)
    /// Here is a request that was turned into one for a persistable key.
    func contentKeySession(_ session: KeySession, didProvide keyRequest: PersistableContentKeyRequest)
    /// The stored key for this identifier is void from now on, and `persistableContentKey` takes its place.
    func contentKeySession(
        _ session: KeySession,
        didUpdatePersistableContentKey persistableContentKey: [UInt8],
        forContentKeyIdentifier identifier: String
    )
    /// There is no key.
    func contentKeySession(
        _ session: KeySession,
        contentKeyRequest keyRequest: ContentKeyRequest,
        didFailWithError error: ContentKeyError
    )
    /// Whether another request shall be made in this one's place. By default not, and failure follows.
    func contentKeySession(
        _ session: KeySession,
        shouldRetry keyRequest: ContentKeyRequest,
        reason: ContentKeyRetryReason
    ) -> Bool
    /// The device took the answer.
    func contentKeySession(_ session: KeySession, contentKeyRequestDidSucceed keyRequest: ContentKeyRequest)
    /// A key was stopped.
    func contentKeySession(
        _ session: KeySession,
        didStop contentKey: ContentKey,
        cause: KeySessionMachine.StopCause
    )
    /// What is attached protects this key's content more, or less, than before.
    func contentKeySession(
        _ session: KeySession,
        externalProtectionStatusDidChangeFor contentKey: ContentKey
    )
    /// Reports of this session's end wait to be sent.
    func contentKeySessionDidGenerateExpiredSessionReport(_ session: KeySession)
}

extension KeySessionDelegate {
    /// As that many single requests.
    public func contentKeySession(
        _ session: KeySession,
        didProvide keyRequests: [ContentKeyRequest],
        forInitializationData _: [UInt8]?
    ) {
        for request in keyRequests { contentKeySession(session, didProvide: request) }
    }
    /// As any other request.
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
    /// False: failure follows.
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
        cause _: KeySessionMachine.StopCause
    ) {}
    /// Does nothing.
    public func contentKeySession(_: KeySession, externalProtectionStatusDidChangeFor _: ContentKey) {}
    /// Does nothing.
    public func contentKeySessionDidGenerateExpiredSessionReport(_: KeySession) {}
}
