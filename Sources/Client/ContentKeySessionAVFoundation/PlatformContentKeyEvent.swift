#if canImport(AVFoundation)
public import ContentKeySession

/// What AVFoundation tells a session beside requests, in the order in which it does.
public enum PlatformContentKeyEvent: Sendable {
    /// The device took the answer.
    case didSucceed(identifier: String)
    /// There is no key.
    case didFail(identifier: String, ContentKeyError)
    /// AVFoundation asked whether to try again; true: it does.
    case wasAskedToRetry(identifier: String, ContentKeyRetryReason?, Bool)
    /// The stored key for this identifier is void from now on. The one that takes its place was given to the kept keys.
    case didUpdatePersistableKey(identifier: String)
    /// What is attached protects the content of this key more, or less, than before.
    case externalProtectionStatusDidChange(identifier: String, ExternalContentProtectionStatus)
    /// The server knows this playback by another identifier.
    case sessionIdentifierDidChange
    /// Reports of sessions that ended wait to be sent.
    case didGenerateExpiredSessionReport
}
#endif
