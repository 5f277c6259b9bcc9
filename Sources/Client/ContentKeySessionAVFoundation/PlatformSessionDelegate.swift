#if canImport(AVFoundation)
import AVFoundation
import ContentKeySession

/// The delegate of a session: records AVFoundation's notifications and passes requests to the key loader.
///
/// All of its properties are constant and Sendable, which the compiler cannot see through NSObject.
final class PlatformSessionDelegate: NSObject, AVContentKeySessionDelegate, @unchecked Sendable {
    private let ledger: RequestLedger
    private let events: Broadcast<PlatformContentKeyEvent>
    private let retries: Int
    private let updates: AsyncStream<(identifier: String, key: [UInt8])>.Continuation

    init(
        _ ledger: RequestLedger,
        _ events: Broadcast<PlatformContentKeyEvent>,
        _ persistentKeys: (any PersistentKeyStore)?,
        retries: Int
    ) {
        (self.ledger, self.events, self.retries) = (ledger, events, retries)
        let (stream, continuation) = AsyncStream.makeStream(of: (identifier: String, key: [UInt8]).self)
        updates = continuation
        super.init()
        // Updates are stored one after the other, so that the later of two remains. The task continues after the end of
        // the session until all earlier updates are stored: a key that was replaced can no longer be played.
        Task {
            for await update in stream {
                await persistentKeys?.save(update.key, for: update.identifier)
                events.add(.didUpdatePersistableKey(identifier: update.identifier))
            }
        }
    }

    /// Finishes the updates.
    func end() { updates.finish() }

    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVContentKeyRequest) {
        ledger.handle(keyRequest, isRenewal: false)
    }

    func contentKeySession(
        _ session: AVContentKeySession,
        didProvideRenewingContentKeyRequest keyRequest: AVContentKeyRequest
    ) {
        ledger.handle(keyRequest, isRenewal: true)
    }

    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVPersistableContentKeyRequest) {
        ledger.handle(keyRequest, isRenewal: false)
    }

    func contentKeySession(
        _ session: AVContentKeySession,
        didUpdatePersistableContentKey persistableContentKey: Data,
        forContentKeyIdentifier keyIdentifier: Any
    ) {
        guard let identifier = text(ofIdentifier: keyIdentifier) else { return }
        updates.yield((identifier, Array(persistableContentKey)))
    }

    func contentKeySession(_ session: AVContentKeySession, contentKeyRequestDidSucceed keyRequest: AVContentKeyRequest)
    {
        guard let identifier = text(ofIdentifier: keyRequest.identifier) else { return }
        ledger.note(loaded: identifier, by: keyRequest)
        let request = ledger.request(for: keyRequest)
        request?.complete(request?.isRenewal == true ? .renewed : .receivedResponse)
        events.add(.didSucceed(identifier: identifier))
    }

    func contentKeySession(
        _ session: AVContentKeySession,
        contentKeyRequest keyRequest: AVContentKeyRequest,
        didFailWithError err: any Error
    ) {
        let error = ContentKeyError(platform: err)
        let request = ledger.request(for: keyRequest)
        let requestsAgain = request?.usesStoredKey == true && error.isStoredKeyRejection
        request?.complete(.failed)
        if let request { ledger.rejectPersistence(request, "the request failed") }
        guard let identifier = text(ofIdentifier: keyRequest.identifier) else { return }
        // A stored key is outdated, expired or invalid: the loader requests a new key from the server, which decides.
        if requestsAgain, ledger.mayRetry(identifier, atMost: retries) {
            session.processContentKeyRequest(withIdentifier: identifier, initializationData: nil, options: nil)
        } else {
            events.add(.didFail(identifier: identifier, error))
        }
    }

    func contentKeySession(
        _ session: AVContentKeySession,
        shouldRetry keyRequest: AVContentKeyRequest,
        reason retryReason: AVContentKeyRequest.RetryReason
    ) -> Bool {
        guard let identifier = text(ofIdentifier: keyRequest.identifier) else { return false }
        let reason = ContentKeyRetryReason(retryReason)
        let retries = reason != nil && ledger.mayRetry(identifier, atMost: retries)
        if retries { ledger.request(for: keyRequest)?.complete(.retried) }
        events.add(.wasAskedToRetry(identifier: identifier, reason, retries))
        return retries
    }

    func contentKeySessionContentProtectionSessionIdentifierDidChange(_ session: AVContentKeySession) {
        events.add(.sessionIdentifierDidChange)
    }

    func contentKeySessionDidGenerateExpiredSessionReport(_ session: AVContentKeySession) {
        events.add(.didGenerateExpiredSessionReport)
    }

    func contentKeySession(
        _ session: AVContentKeySession,
        externalProtectionStatusDidChangeFor contentKey: AVContentKey
    ) {
        guard #available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *),
            let identifier = text(ofIdentifier: contentKey.contentKeySpecifier.identifier)
        else { return }
        let status = ExternalContentProtectionStatus(contentKey.externalContentProtectionStatus)
        events.add(.externalProtectionStatusDidChange(identifier: identifier, status))
    }
}
#endif
