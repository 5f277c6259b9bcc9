import ContentKeySession
import Synchronization

/// A delegate that responds as the test specifies, and records its calls.
final class RecordingDelegate: KeySessionDelegate {
    let notes = Mutex<[String]>([])
    let retries: Bool

    init(retries: Bool = false) { self.retries = retries }

    private func note(_ text: String) { notes.withLock { $0.append(text) } }

    func contentKeySession(_: KeySession, didProvide request: ContentKeyRequest) {
        note("request \(request.id)")
    }
    func contentKeySession(_: KeySession, didProvideRenewing request: ContentKeyRequest) {
        note("renewal \(request.id)")
    }
    func contentKeySession(_: KeySession, didProvide request: PersistableContentKeyRequest) {
        note("persistable \(request.request.id)")
    }
    func contentKeySession(
        _: KeySession,
        didUpdatePersistableContentKey key: [UInt8],
        forContentKeyIdentifier identifier: String
    ) { note("update \(identifier) \(key)") }
    func contentKeySession(
        _: KeySession,
        contentKeyRequest request: ContentKeyRequest,
        didFailWithError error: ContentKeyError
    ) { note("failure \(request.id) \(error.code.rawValue)") }
    func contentKeySession(
        _: KeySession,
        shouldRetry request: ContentKeyRequest,
        reason: ContentKeyRetryReason
    ) -> Bool {
        note("retry \(request.id) \(reason)?")
        return retries
    }
    func contentKeySession(_: KeySession, contentKeyRequestDidSucceed request: ContentKeyRequest) {
        note("success \(request.id)")
    }
    func contentKeySession(
        _: KeySession,
        didStop key: ContentKey,
        cause: ContentKeyStopCause
    ) { note("stop \(key.identifier) \(cause)") }
    func contentKeySession(_: KeySession, externalProtectionStatusDidChangeFor key: ContentKey) {
        note("protection \(key.externalContentProtectionStatus)")
    }
    func contentKeySessionDidGenerateExpiredSessionReport(_: KeySession) { note("report") }
}

final class Player: ContentKeyRecipient {
    let hasBegunLoading: Bool
    let keys = Mutex<[ContentKey]>([])
    init(hasBegunLoading: Bool = false) { self.hasBegunLoading = hasBegunLoading }
    func contentKeySession(_: KeySession, didProvide key: ContentKey) { keys.withLock { $0.append(key) } }
}

/// A delegate that accepts batched requests.
final class GatheringDelegate: KeySessionDelegate {
    let notes = Mutex<[String]>([])

    func contentKeySession(_: KeySession, didProvide request: ContentKeyRequest) {
        notes.withLock { $0.append("\(request.identifier)") }
    }
    func contentKeySession(
        _: KeySession,
        didProvide requests: [ContentKeyRequest],
        forInitializationData data: [UInt8]?
    ) {
        notes.withLock { $0.append("\(requests.map(\.identifier)) \(data ?? [])") }
    }
}
