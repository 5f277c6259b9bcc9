#if canImport(AVFoundation)
public import ContentKeySession

/// An event of AVFoundation's session other than a request, in order.
public enum PlatformContentKeyEvent: Sendable {
    /// The device accepted the response: a stored key, or a key from the server.
    case didSucceed(identifier: String, usedStoredKey: Bool)
    /// The request failed.
    case didFail(identifier: String, ContentKeyError)
    /// The device rejected the stored key: it has expired, was replaced, or has an outdated format. A new key must be
    /// acquired in another session (``PlatformPersistentKeys/refresh(_:)``).
    case didRejectStoredKey(identifier: String, ContentKeyError)
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
