#if canImport(AVFoundation)
import AVFoundation
import ContentKeySession

/// The delegate of a session: passes requests and results to its ``SessionCore``.
///
/// Its properties are constant and Sendable, except for the reference to the core, which is set before AVFoundation can
/// call the delegate.
final class PlatformSessionDelegate: NSObject, AVContentKeySessionDelegate, @unchecked Sendable {
    private weak var core: SessionCore?
    private let updates: AsyncStream<Update>.Continuation

    /// A persistent key that replaces another one.
    private struct Update: Sendable {
        let identifier: String
        let key: [UInt8]
        let events: Broadcast<PlatformContentKeyEvent>
    }

    init(_ persistentKeys: (any PersistentKeyStore)?) {
        let (stream, continuation) = AsyncStream.makeStream(of: Update.self)
        updates = continuation
        super.init()
        // Updates are stored one after the other, so that the later of two remains. The task continues after the end of
        // the session until all earlier updates are stored: a key that was replaced can no longer be played.
        Task {
            for await update in stream {
                do {
                    if let file = persistentKeys as? PersistentKeyFile {
                        try await file.replace(with: update.key, for: update.identifier)
                    } else {
                        try await persistentKeys?.save(update.key, for: update.identifier)
                    }
                    update.events.add(.didUpdatePersistableKey(identifier: update.identifier))
                } catch {
                    let failure = ContentKeyError(.keyNotStored, .session, reason: "the updated key is lost: \(error)")
                    update.events.add(.didFail(identifier: update.identifier, failure))
                }
            }
        }
    }

    func attach(to core: SessionCore) { self.core = core }

    /// Finishes the updates.
    func end() { updates.finish() }

    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVContentKeyRequest) {
        core?.handle(keyRequest, isRenewal: false)
    }

    func contentKeySession(
        _ session: AVContentKeySession,
        didProvideRenewingContentKeyRequest keyRequest: AVContentKeyRequest
    ) {
        core?.handle(keyRequest, isRenewal: true)
    }

    func contentKeySession(_ session: AVContentKeySession, didProvide keyRequest: AVPersistableContentKeyRequest) {
        core?.handle(keyRequest, isRenewal: false)
    }

    func contentKeySession(
        _ session: AVContentKeySession,
        didUpdatePersistableContentKey persistableContentKey: Data,
        forContentKeyIdentifier keyIdentifier: Any
    ) {
        guard let core, let identifier = text(ofIdentifier: keyIdentifier) else { return }
        updates.yield(Update(identifier: identifier, key: Array(persistableContentKey), events: core.events))
    }

    func contentKeySession(_ session: AVContentKeySession, contentKeyRequestDidSucceed keyRequest: AVContentKeyRequest)
    {
        guard let core, let identifier = text(ofIdentifier: keyRequest.identifier) else { return }
        core.note(loaded: identifier, by: keyRequest)
        let request = core.request(for: keyRequest)
        let usedStoredKey = request?.usesStoredKey == true
        request?.complete(request?.isRenewal == true ? .renewed : .receivedResponse)
        core.events.add(.didSucceed(identifier: identifier, usedStoredKey: usedStoredKey))
    }

    func contentKeySession(
        _ session: AVContentKeySession,
        contentKeyRequest keyRequest: AVContentKeyRequest,
        didFailWithError err: any Error
    ) {
        guard let core else { return }
        let error = ContentKeyError(platform: err)
        let request = core.request(for: keyRequest)
        let usedStoredKey = request?.usesStoredKey == true
        request?.complete(.failed, error)
        if let request { core.rejectPersistence(request.id, request.identifier, "the request failed") }
        guard let identifier = text(ofIdentifier: keyRequest.identifier) else { return }
        if usedStoredKey, error.isStoredKeyRejection {
            core.events.add(.didRejectStoredKey(identifier: identifier, error))
        }
        core.events.add(.didFail(identifier: identifier, error))
    }

    func contentKeySession(
        _ session: AVContentKeySession,
        shouldRetry keyRequest: AVContentKeyRequest,
        reason retryReason: AVContentKeyRequest.RetryReason
    ) -> Bool {
        guard let core, let identifier = text(ofIdentifier: keyRequest.identifier) else { return false }
        let reason = ContentKeyRetryReason(retryReason)
        let retries = reason != nil && core.mayRetry(identifier)
        let request = core.request(for: keyRequest)
        var rejection: ContentKeyError?
        // A stored key whose lease is over has expired.
        if request?.usesStoredKey == true, let reason, reason != .timedOut {
            let error = ContentKeyError(.persistentKeyExpired, .device, reason: "the device rejected the stored key")
            core.events.add(.didRejectStoredKey(identifier: identifier, error))
            rejection = error
        }
        if retries { request?.complete(.retried, rejection) }
        core.events.add(.wasAskedToRetry(identifier: identifier, reason, retries))
        return retries
    }

    func contentKeySessionContentProtectionSessionIdentifierDidChange(_ session: AVContentKeySession) {
        core?.events.add(.sessionIdentifierDidChange)
    }

    func contentKeySessionDidGenerateExpiredSessionReport(_ session: AVContentKeySession) {
        core?.events.add(.didGenerateExpiredSessionReport)
    }

    func contentKeySession(
        _ session: AVContentKeySession,
        externalProtectionStatusDidChangeFor contentKey: AVContentKey
    ) {
        guard #available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *), let core,
            let identifier = text(ofIdentifier: contentKey.contentKeySpecifier.identifier)
        else { return }
        let status = ExternalContentProtectionStatus(contentKey.externalContentProtectionStatus)
        core.events.add(.externalProtectionStatusDidChange(identifier: identifier, status))
    }
}
#endif
