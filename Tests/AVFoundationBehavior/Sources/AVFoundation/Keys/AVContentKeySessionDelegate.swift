// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The delegate of a session: reference, section 1.2.

public import Foundation

@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
public protocol AVContentKeySessionDelegate: NSObjectProtocol, Sendable {
    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVContentKeyRequest)
    func contentKeySession(
        _ session: AVContentKeySession,
        didProvideRenewingContentKeyRequest keyRequest: AVContentKeyRequest
    )
    @available(iOS 10.3, macOS 10.15, tvOS 10.2, visionOS 1, *)
    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVPersistableContentKeyRequest)
    @available(iOS 11, macOS 10.15, tvOS 17, visionOS 1, *)
    func contentKeySession(
        _ session: AVContentKeySession,
        didUpdatePersistableContentKey persistableContentKey: Data,
        forContentKeyIdentifier keyIdentifier: Any
    )
    func contentKeySession(
        _ session: AVContentKeySession,
        contentKeyRequest keyRequest: AVContentKeyRequest,
        didFailWithError err: any Error
    )
    func contentKeySession(
        _ session: AVContentKeySession,
        shouldRetry keyRequest: AVContentKeyRequest,
        reason retryReason: AVContentKeyRequest.RetryReason
    ) -> Bool
    @available(iOS 12, macOS 10.14, tvOS 12, visionOS 1, *)
    func contentKeySession(_ session: AVContentKeySession, contentKeyRequestDidSucceed keyRequest: AVContentKeyRequest)
    func contentKeySessionContentProtectionSessionIdentifierDidChange(_ session: AVContentKeySession)
    @available(iOS 12, macOS 10.14, tvOS 12, visionOS 1, *)
    func contentKeySessionDidGenerateExpiredSessionReport(_ session: AVContentKeySession)
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
    func contentKeySession(
        _ session: AVContentKeySession,
        externalProtectionStatusDidChangeFor contentKey: AVContentKey
    )
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
    func contentKeySession(
        _ session: AVContentKeySession,
        didProvide keyRequests: [AVContentKeyRequest],
        forInitializationData initializationData: Data?
    )
}

/// The methods of a delegate that it may omit and whose absence has an effect.
enum OptionalMethod: Hashable, Sendable { case renewing, persistable, array }

// The optional methods. Swift cannot ask an object at run time whether it implements one, so a default implementation
// tells the session that the delegate does not.
@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
extension AVContentKeySessionDelegate {
    // The adapter does not implement this method.
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
    public func contentKeySession(
        _ session: AVContentKeySession,
        didProvide keyRequests: [AVContentKeyRequest],
        forInitializationData initializationData: Data?
    ) { session.note(missing: .array) }
}

// With this flag, the compiler reports a method of the adapter whose name is wrong.
#if !ALL_METHODS_REQUIRED
@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
extension AVContentKeySessionDelegate {
    // Rule 48: unknown; here the request is not delivered, and times out.
    public func contentKeySession(
        _ session: AVContentKeySession,
        didProvideRenewingContentKeyRequest keyRequest: AVContentKeyRequest
    ) { session.note(missing: .renewing) }
    @available(iOS 10.3, macOS 10.15, tvOS 10.2, visionOS 1, *)
    public func contentKeySession(
        _ session: AVContentKeySession,
        didProvide keyRequest: AVPersistableContentKeyRequest
    ) { session.note(missing: .persistable) }
    @available(iOS 11, macOS 10.15, tvOS 17, visionOS 1, *)
    public func contentKeySession(
        _ session: AVContentKeySession,
        didUpdatePersistableContentKey persistableContentKey: Data,
        forContentKeyIdentifier keyIdentifier: Any
    ) {}
    public func contentKeySession(
        _ session: AVContentKeySession,
        contentKeyRequest keyRequest: AVContentKeyRequest,
        didFailWithError err: any Error
    ) {}
    public func contentKeySession(
        _ session: AVContentKeySession,
        shouldRetry keyRequest: AVContentKeyRequest,
        reason retryReason: AVContentKeyRequest.RetryReason
    ) -> Bool { false }
    @available(iOS 12, macOS 10.14, tvOS 12, visionOS 1, *)
    public func contentKeySession(
        _ session: AVContentKeySession,
        contentKeyRequestDidSucceed keyRequest: AVContentKeyRequest
    ) {}
    public func contentKeySessionContentProtectionSessionIdentifierDidChange(_ session: AVContentKeySession) {}
    @available(iOS 12, macOS 10.14, tvOS 12, visionOS 1, *)
    public func contentKeySessionDidGenerateExpiredSessionReport(_ session: AVContentKeySession) {}
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *)
    public func contentKeySession(
        _ session: AVContentKeySession,
        externalProtectionStatusDidChangeFor contentKey: AVContentKey
    ) {}
}
#endif
