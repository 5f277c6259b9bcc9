/// What a session tells, in the order in which it happens. The delegate is told the same.
public enum ContentKeyEvent: Sendable {
    /// A request, to be answered.
    case didProvide(ContentKeyRequest)
    /// A request whose answer renews a key in use.
    case didProvideRenewing(ContentKeyRequest)
    /// A request that was turned into one for a persistable key.
    case didProvidePersistable(PersistableContentKeyRequest)
    /// The stored key for this identifier is void from now on, and this one takes its place.
    case didUpdatePersistableKey(RedactedBytes, identifier: String)
    /// The device took the answer.
    case didSucceed(ContentKeyRequest)
    /// There is no key.
    case didFail(ContentKeyRequest, ContentKeyError)
    /// A key was stopped.
    case didStop(ContentKey, KeySessionMachine.StopCause)
    /// What is attached protects a key's content more, or less, than before.
    case externalProtectionStatusDidChange(ContentKey)
    /// Reports of this session's end wait to be sent.
    case didGenerateExpiredSessionReports
}
