#if canImport(AVFoundation) && !os(visionOS)
import AVFoundation
import ContentKeySession
import Locking

/// A request of AVAssetResourceLoader for a FairPlay key, adapted for a key loader.
///
/// | Key loader | AVAssetResourceLoadingRequest |
/// |---|---|
/// | `makeStreamingContentKeyRequestData` | `streamingContentKeyRequestData(forApp:…)` with the protocol versions |
/// | `respondByRequestingPersistableKey` | a check of `allowedContentTypes`; then the SPC requires a persistent key |
/// | `persistableContentKey` | `persistentContentKey(fromKeyVendorResponse:)` |
/// | `processContentKeyResponse` | content information with the type and the renewal date, data, `finishLoading()` |
/// | `processContentKeyResponseError` | `finishLoading(with:)` |
///
/// A request ends once: with a response, with an error, when AVFoundation cancels it, or at a timeout. Until then, its
/// source holds it.
final class ResourceLoaderKeyRequest: ContentKeyLoading {
    /// A call of the delegate.
    struct Call: Sendable {
        // The object is used only on the queue on which AVFoundation provided it.
        let object: PlatformObject<AVAssetResourceLoadingRequest>
        let resource: ResourceRequest
        // Only its identity is used.
        let loader: PlatformObject<AVAssetResourceLoader>
        let queue: DispatchQueue
        let isRenewal: Bool
        let requestsPersistableKey: Bool
    }

    private struct State {
        var isPersistable = false
        var hasSPC = false
        var outcome: ContentKeyRequestStatus?
        /// The device's error, which is passed on.
        var failure: NSError?
        var timeout: Task<Void, Never>?
    }

    let id: UInt64
    let call: Call
    var identifier: String { call.resource.url }
    var keySystem: ContentKeySystem { .fairPlayStreaming }
    var isRenewal: Bool { call.isRenewal }
    var requestsPersistableKey: Bool { call.requestsPersistableKey }

    private let core: ResourceLoaderKeys
    private let state = Lock(State())

    init(_ call: Call, id: UInt64, core: ResourceLoaderKeys) { (self.call, self.id, self.core) = (call, id, core) }

    var isOpen: Bool { state.withLock { $0.outcome == nil } }

    // MARK: Key loader

    func makeStreamingContentKeyRequestData(
        certificate: [UInt8],
        contentIdentifier: [UInt8],
        protocolVersions: [UInt32]
    ) async throws(ContentKeyError) -> [UInt8] {
        guard isOpen else { throw ContentKeyError(.requestAnswered, .request) }
        guard core.environment == .device else {
            throw note(ContentKeyError(.notAvailableInSimulator, .device))
        }
        // The device is not asked for a key of a type that could not be delivered.
        guard call.resource.contentInformation?.allows(contentType) ?? true else {
            throw note(ContentKeyError(.contentTypeNotAllowed, .request, reason: contentType.rawValue))
        }
        let isPersistable = state.withLock { state in
            state.hasSPC = true
            return state.isPersistable
        }
        return try await platformCall(.request) { object in
            try object.makeSPC(certificate, contentIdentifier, protocolVersions, isPersistable: isPersistable)
        }
    }

    func respondByRequestingPersistableKey() async throws(ContentKeyError) {
        guard isOpen else { throw ContentKeyError(.requestAnswered, .request) }
        guard call.resource.allowsPersistentKey else {
            let reason = "allowedContentTypes has no persistent key, as with AirPlay"
            throw ContentKeyError(.persistenceNotAllowed, .request, reason: reason)
        }
        state.withLock { $0.isPersistable = true }
    }

    func persistableContentKey(fromKeyVendorResponse response: [UInt8]) async throws(ContentKeyError) -> [UInt8] {
        guard state.withLock({ $0.isPersistable }) else { throw ContentKeyError(.notPersistable, .request) }
        return try await platformCall(.response) { try $0.makePersistentKey(response) }
    }

    @discardableResult
    func processContentKeyResponse(_ response: ContentKeyResponse) async -> ContentKeyRequestStatus {
        let (isPersistable, hasSPC) = state.withLock { ($0.isPersistable, $0.hasSPC) }
        guard case .fairPlayStreaming(let data) = response.content else {
            fail(ResourceLoaderFailure.error(ContentKeyError(.wrongResponse, .response)))
            return outcome
        }
        if isPersistable, !hasSPC, core.takeRejection(of: identifier) {
            guard end(.retried) else { return outcome }
            core.retry(call)
            return .retried
        }
        let answer: ResourceResponse
        do throws(ResourceError) {
            answer = try ResourceResponse(data.bytes, as: [contentType], for: call.resource)
        } catch {
            fail(ResourceLoaderFailure.error(error))
            return outcome
        }
        guard end(isRenewal ? .renewed : .receivedResponse) else { return outcome }
        if isPersistable { core.note(persistent: identifier, for: call.loader.object) }
        let renewal = isPersistable ? nil : renewalDate
        await withCheckedContinuation { continuation in
            finish {
                $0.finish(answer, renewalDate: renewal)
                continuation.resume()
            }
        }
        return outcome
    }

    func processContentKeyResponseError(_ error: any Error) async {
        fail(state.withLock { $0.failure } ?? ResourceLoaderFailure.error(error))
    }

    // MARK: Ends

    /// Fails the request, unless it has ended.
    func fail(_ error: any Error) {
        guard end(.failed) else { return }
        finish { $0.finishLoading(with: error) }
    }

    /// Ends the request without a response.
    func cancel() { end(.cancelled) }

    /// Fails the request if the key loader does not answer it, which has deadlines of its own.
    func startTimeout() {
        let retry = core.settings.retry
        let deadline = isRenewal ? renewalDeadline : max(retry.onDemandDeadline, retry.preloadDeadline)
        let timeout = Task { [weak self, clock = core.clock] in
            guard (try? await clock.sleep(for: deadline + .seconds(5))) != nil else { return }
            self?.fail(PlatformFailure.noResponse)
        }
        let isOver = state.withLock { state in
            state.timeout = timeout
            return state.outcome != nil
        }
        if isOver { timeout.cancel() }
    }

    /// The longest time from a renewal to the end of the lease.
    private var renewalDeadline: Duration {
        let lease = core.settings.lease(identifier)
        guard let lease, let window = core.settings.renewal.window(of: lease) else {
            return core.settings.retry.renewalDeadline
        }
        return lease - window.lowerBound
    }

    /// Sets the outcome. Returns false if the request has already ended.
    @discardableResult
    private func end(_ outcome: ContentKeyRequestStatus) -> Bool {
        let timeout: Task<Void, Never>?? = state.withLock { state in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            return .some(state.timeout)
        }
        guard let timeout else { return false }
        timeout?.cancel()
        core.close(self)
        return true
    }

    private var outcome: ContentKeyRequestStatus { state.withLock { $0.outcome } ?? .requestingResponse }

    // MARK: AVFoundation

    private var contentType: ResourceContentType {
        state.withLock { $0.isPersistable } ? .persistentContentKey : .contentKey
    }

    /// The date at which AVFoundation requests a renewal; nil without a lease.
    private var renewalDate: Date? {
        var random = SystemRandomNumberGenerator()
        return core.settings.renewal.moment(for: core.settings.lease(identifier), using: &random)
            .map { core.now().addingTimeInterval($0 / .seconds(1)) }
    }

    /// Remembers an error for the player item and returns it.
    private func note(_ error: ContentKeyError) -> ContentKeyError {
        state.withLock { $0.failure = ResourceLoaderFailure.error(error) }
        return error
    }

    /// Calls a method of the request on its queue.
    private func platformCall(
        _ component: ContentKeyError.Component,
        _ body: @escaping @Sendable (AVAssetResourceLoadingRequest) throws -> Data
    ) async throws(ContentKeyError) -> [UInt8] {
        let result: Result<Data, any Error> = await withCheckedContinuation { continuation in
            call.queue.async { [object = call.object] in
                continuation.resume(returning: Result { try body(object.object) })
            }
        }
        switch result {
        case .success(let data):
            state.withLock { $0.failure = nil }
            return Array(data)
        case .failure(let error):
            // As the guide requires, the player item receives the device's error.
            state.withLock { $0.failure = ResourceLoaderFailure.passedOn(error) }
            throw ContentKeyError(platform: error, component)
        }
    }

    /// Finishes the request on its queue.
    private func finish(_ body: @escaping @Sendable (AVAssetResourceLoadingRequest) -> Void) {
        call.queue.async { [object = call.object] in body(object.object) }
    }
}

extension AVAssetResourceLoadingRequest {
    fileprivate func makeSPC(
        _ certificate: [UInt8],
        _ contentIdentifier: [UInt8],
        _ protocolVersions: [UInt32],
        isPersistable: Bool
    ) throws -> Data {
        var options: [String: Any] = [:]
        if !protocolVersions.isEmpty {
            options[AVContentKeyRequestProtocolVersionsKey] = protocolVersions.map { NSNumber(value: $0) }
        }
        if isPersistable {
            options[AVAssetResourceLoadingRequestStreamingContentKeyRequestRequiresPersistentKey] = true
        }
        return try streamingContentKeyRequestData(
            forApp: Data(certificate),
            contentIdentifier: Data(contentIdentifier),
            options: options
        )
    }

    fileprivate func makePersistentKey(_ ckc: [UInt8]) throws -> Data {
        try persistentContentKey(fromKeyVendorResponse: Data(ckc), options: nil)
    }
}
#endif
