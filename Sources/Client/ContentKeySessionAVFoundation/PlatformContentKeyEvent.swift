#if canImport(AVFoundation)
public import ContentKeySession

/// An event of AVFoundation's session other than a request, in order.
public enum PlatformContentKeyEvent: Sendable {
    /// The device accepted the response.
    case didSucceed(identifier: String)
    /// The request failed.
    case didFail(identifier: String, ContentKeyError)
    /// AVFoundation called the delegate to decide whether to retry; true if it retries.
    case wasAskedToRetry(identifier: String, ContentKeyRetryReason?, Bool)
    /// The persistent key for this identifier is no longer valid. Its replacement was stored.
    case didUpdatePersistableKey(identifier: String)
    /// The external content protection status of this key has changed.
    case externalProtectionStatusDidChange(identifier: String, ExternalContentProtectionStatus)
    /// The identifier of this playback session for the server has changed.
    case sessionIdentifierDidChange
    /// Reports of ended sessions are ready to be sent.
    case didGenerateExpiredSessionReport
}
#endif
