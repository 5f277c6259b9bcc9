#if canImport(AVFoundation)
import AVFoundation
public import ContentKeySession
import Locking

/// A request of AVContentKeySession, as a key loader takes it.
///
/// | The loader's | AVFoundation's |
/// |---|---|
/// | `makeStreamingContentKeyRequestData` | the same, with the protocol versions as option |
/// | `respondByRequestingPersistableKey` | the same; then the persistable request, which the delegate gets, takes this one's place |
/// | `persistableContentKey` | the same, of the persistable request |
/// | `processContentKeyResponse` | the same; then what the delegate is told of the request |
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

    /// Unique within a session, ascending from 1.
    public let id: UInt64
    /// The EXT-X-KEY's URI.
    public let identifier: String
    /// What kind of answer is expected.
    public let keySystem: ContentKeySystem
    /// Whether the answer renews a key in use.
    public let isRenewal: Bool
    /// Whether this request may carry a persistable key, and the app wants to keep this one.
    public let canProvidePersistableKey: Bool

    private let ledger: RequestLedger
    private let state: Lock<State>

    init(
        _ request: AVContentKeyRequest,
        id: UInt64,
        identifier: String,
        isRenewal: Bool,
        keepsKey: Bool,
        ledger: RequestLedger
    ) {
        (self.id, self.identifier, self.isRenewal, self.ledger) = (id, identifier, isRenewal, ledger)
        keySystem = ledger.keySystem
        let persistable = request as? AVPersistableContentKeyRequest
        canProvidePersistableKey = persistable != nil || (keepsKey && request.canProvidePersistableContentKey)
        state = Lock(State(request: request, persistable: persistable))
    }

    /// AVFoundation's object that is to be answered now.
    var current: AVContentKeyRequest { state.withLock { $0.persistable ?? $0.request } }

    /// Whether it is answered with a key that was kept: no SPC was made for it.
    var wasKept: Bool { state.withLock { $0.persistable != nil && !$0.hasSPC } }

    /// Whether it waits for what the device says of the answer.
    var awaitsVerdict: Bool { state.withLock { $0.isAnswered && $0.outcome == nil } }

    /// Whether an answer is still wanted.
    public var isOpen: Bool {
        state.withLock {
            !$0.isAnswered && $0.outcome == nil && ($0.persistable ?? $0.request).status == .requestingResponse
        }
    }

    /// Makes the SPC for the key server.
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

    /// Turns this request into one for a persistable key.
    public func respondByRequestingPersistableKey() async throws(ContentKeyError) {
        guard isOpen else { throw ContentKeyError(.requestAnswered, .request) }
        guard state.withLock({ $0.persistable }) == nil else { return }
        let persistable = try await ledger.persistableRequest(for: self, current)
        state.withLock { $0.persistable = persistable }
    }

    /// Makes the key to be stored from a CKC.
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

    /// The answer. What the device says of it comes by the delegate; if nothing comes, AVFoundation's own status counts.
    @discardableResult
    public func processContentKeyResponse(_ response: ContentKeyResponse) async -> ContentKeyRequestStatus {
        guard isOpen else { return state.withLock { $0.outcome } ?? ContentKeyRequestStatus(current.status) }
        let request = current
        let patience = Task { [weak self, ledger] in
            guard (try? await Task.sleep(for: ledger.patience)) != nil, let self else { return }
            let status = ContentKeyRequestStatus(self.current.status)
            self.settle(status == .requestingResponse ? .failed : status)
        }
        defer { patience.cancel() }
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

    /// Says that there will be no answer, and why.
    public func processContentKeyResponseError(_ error: any Error) async {
        guard isOpen else { return }
        current.processContentKeyResponseError(PlatformFailure.error(error))
        settle(.failed)
    }

    /// What became of it. The first word counts.
    func settle(_ outcome: ContentKeyRequestStatus) {
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

/// Waits for the data of one of AVFoundation's completion handlers.
func platformData(
    _ place: ContentKeyError.Place,
    _ body: (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Void
) async throws(ContentKeyError) -> [UInt8] {
    let result: Result<[UInt8], ContentKeyError> = await withCheckedContinuation { continuation in
        body { data, error in
            continuation.resume(
                returning: data.map { .success(Array($0)) } ?? .failure(ContentKeyError(platform: error, place))
            )
        }
    }
    return try result.get()
}
#endif
