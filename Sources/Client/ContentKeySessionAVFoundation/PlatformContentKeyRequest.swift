#if canImport(AVFoundation)
import AVFoundation
public import ContentKeySession
import Locking

/// A request of AVContentKeySession, adapted for a key loader.
///
/// | Key loader | AVFoundation |
/// |---|---|
/// | `makeStreamingContentKeyRequestData` | the same, with the protocol versions as an option |
/// | `respondByRequestingPersistableKey` | the same; then the persistable request replaces this one |
/// | `persistableContentKey` | the same, on the persistable request |
/// | `processContentKeyResponse` | the same; then the result that the delegate receives |
/// | `processContentKeyResponseError` | the same |
public final class PlatformContentKeyRequest: ContentKeyLoading {
    private struct State {
        var request: AVContentKeyRequest
        var persistable: AVPersistableContentKeyRequest?
        var hasSPC = false
        var isAnswered = false
        var outcome: ContentKeyRequestStatus?
        var waiter: CheckedContinuation<ContentKeyRequestStatus, Never>?
    }

    /// An ID that is unique within a session and ascends from 1.
    public let id: UInt64
    /// The URI of the EXT-X-KEY tag.
    public let identifier: String
    /// The key system of the expected response.
    public let keySystem: ContentKeySystem
    /// True if the response renews a key in use.
    public let isRenewal: Bool
    /// True if this request can provide a persistable key and the app stores this key.
    public let canProvidePersistableKey: Bool

    private let ledger: RequestLedger
    private let state: Lock<State>

    init(
        _ request: AVContentKeyRequest,
        id: UInt64,
        identifier: String,
        isRenewal: Bool,
        storesKey: Bool,
        ledger: RequestLedger
    ) {
        (self.id, self.identifier, self.isRenewal, self.ledger) = (id, identifier, isRenewal, ledger)
        keySystem = ledger.keySystem
        let persistable = request as? AVPersistableContentKeyRequest
        canProvidePersistableKey = persistable != nil || (storesKey && request.canProvidePersistableContentKey)
        state = Lock(State(request: request, persistable: persistable))
    }

    /// AVFoundation's request object that must be answered now.
    var current: AVContentKeyRequest { state.withLock { $0.persistable ?? $0.request } }

    /// True if the request is answered with a stored key: no SPC was made for it.
    var usesStoredKey: Bool { state.withLock { $0.persistable != nil && !$0.hasSPC } }

    /// True if the request waits for the device's result.
    var awaitsResult: Bool { state.withLock { $0.isAnswered && $0.outcome == nil } }

    /// True if the request still waits for a response.
    public var isOpen: Bool {
        state.withLock {
            !$0.isAnswered && $0.outcome == nil && ($0.persistable ?? $0.request).status == .requestingResponse
        }
    }

    /// Creates the SPC for the key server.
    public func makeStreamingContentKeyRequestData(
        certificate: [UInt8],
        contentIdentifier: [UInt8],
        protocolVersions: [UInt32]
    ) async throws(ContentKeyError) -> [UInt8] {
        guard isOpen else { throw ContentKeyError(.requestAnswered, .request) }
        state.withLock { $0.hasSPC = true }
        let request = current
        return try await platformData(.request) { handler in
            request.makeStreamingContentKeyRequestData(
                forApp: Data(certificate),
                contentIdentifier: Data(contentIdentifier),
                options: [AVContentKeyRequestProtocolVersionsKey: protocolVersions.map { NSNumber(value: $0) }],
                completionHandler: handler
            )
        }
    }

    /// Converts this request into a request for a persistable key.
    public func respondByRequestingPersistableKey() async throws(ContentKeyError) {
        guard isOpen else { throw ContentKeyError(.requestAnswered, .request) }
        guard state.withLock({ $0.persistable }) == nil else { return }
        let persistable = try await ledger.persistableRequest(for: self, current)
        state.withLock { $0.persistable = persistable }
    }

    /// Creates the persistent key from a CKC.
    public func persistableContentKey(
        fromKeyVendorResponse response: [UInt8]
    ) async throws(ContentKeyError) -> [UInt8] {
        guard let request = state.withLock({ $0.persistable }) else { throw ContentKeyError(.notPersistable, .request) }
        do {
            return Array(try request.persistableContentKey(fromKeyVendorResponse: Data(response), options: nil))
        } catch {
            throw ContentKeyError(platform: error, .response)
        }
    }

    /// Answers the request. The delegate receives the device's result; if there is none before the timeout,
    /// AVFoundation's status is used.
    @discardableResult
    public func processContentKeyResponse(_ response: ContentKeyResponse) async -> ContentKeyRequestStatus {
        guard isOpen else { return state.withLock { $0.outcome } ?? ContentKeyRequestStatus(current.status) }
        let request = current
        let resultTimeout = Task { [weak self, ledger] in
            guard (try? await Task.sleep(for: ledger.resultTimeout)) != nil, let self else { return }
            let status = ContentKeyRequestStatus(self.current.status)
            self.complete(status == .requestingResponse ? .failed : status)
        }
        defer { resultTimeout.cancel() }
        return await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                guard !state.isAnswered, state.outcome == nil else { return false }
                (state.isAnswered, state.waiter) = (true, continuation)
                return true
            }
            guard isFirst else {
                continuation.resume(returning: state.withLock { $0.outcome } ?? .requestingResponse)
                return
            }
            request.processContentKeyResponse(response.platform)
        }
    }

    /// Fails the request with an error instead of a response.
    public func processContentKeyResponseError(_ error: any Error) async {
        guard isOpen else { return }
        current.processContentKeyResponseError(PlatformFailure.error(error))
        complete(.failed)
    }

    /// Sets the result of the request. Only the first result counts.
    func complete(_ outcome: ContentKeyRequestStatus) {
        let waiter = state.withLock { state in
            guard state.outcome == nil else { return nil as CheckedContinuation<ContentKeyRequestStatus, Never>? }
            state.outcome = outcome
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: outcome)
        ledger.close(self)
    }
}

/// Waits for the data of an AVFoundation completion handler.
func platformData(
    _ component: ContentKeyError.Component,
    _ body: (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Void
) async throws(ContentKeyError) -> [UInt8] {
    let result: Result<[UInt8], ContentKeyError> = await withCheckedContinuation { continuation in
        body { data, error in
            continuation.resume(
                returning: data.map { .success(Array($0)) } ?? .failure(ContentKeyError(platform: error, component))
            )
        }
    }
    return try result.get()
}
#endif
