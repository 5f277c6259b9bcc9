/// An event of a session, in order. The delegate is notified of the same events.
public enum ContentKeyEvent: Sendable {
    /// A request to be answered.
    case didProvide(ContentKeyRequest)
    /// A request whose response renews a key in use.
    case didProvideRenewing(ContentKeyRequest)
    /// A request that was converted into a request for a persistable key.
    case didProvidePersistable(PersistableContentKeyRequest)
    /// The persistent key for this identifier is no longer valid and is replaced by this one.
    case didUpdatePersistableKey(RedactedBytes, identifier: String)
    /// The device accepted the response.
    case didSucceed(ContentKeyRequest)
    /// The request failed.
    case didFail(ContentKeyRequest, ContentKeyError)
    /// A key was stopped.
    case didStop(ContentKey, ContentKeyStopCause)
    /// The external content protection status of a key has changed.
    case externalProtectionStatusDidChange(ContentKey)
    /// Reports of the end of this session are ready to be sent.
    case didGenerateExpiredSessionReports
}
