#if canImport(AVFoundation)
public import AVFoundation
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
///
/// A request holds its session until it has ended. A request that is released without a response fails.
public final class PlatformContentKeyRequest: ContentKeyLoading {
    private struct State {
        var request: AVContentKeyRequest
        var persistable: AVPersistableContentKeyRequest?
        var hasSPC = false
        var isAnswered = false
        var outcome: ContentKeyRequestStatus?
        var error: ContentKeyError?
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
    /// True if the app stores this key. AVFoundation's `canProvidePersistableContentKey` cannot be used: it is false
    /// until the persistable request has been requested.
    public let requestsPersistableKey: Bool

    private let core: SessionCore
    private let state: Lock<State>

    init(_ request: AVContentKeyRequest, id: UInt64, identifier: String, isRenewal: Bool, core: SessionCore) {
        (self.id, self.identifier, self.isRenewal, self.core) = (id, identifier, isRenewal, core)
        keySystem = core.keySystem
        let persistable = request as? AVPersistableContentKeyRequest
        requestsPersistableKey = persistable != nil || (!isRenewal && core.settings.storesKey(identifier))
        state = Lock(State(request: request, persistable: persistable))
    }

    deinit {
        let request = state.withLock { $0.isAnswered || $0.outcome != nil ? nil : $0.persistable ?? $0.request }
        core.close(id)
        guard let request, request.status == .requestingResponse else { return }
        request.processContentKeyResponseError(PlatformFailure.noResponse)
    }

    /// AVFoundation's request object that must be answered now.
    var current: AVContentKeyRequest { state.withLock { $0.persistable ?? $0.request } }

    /// True if the request is answered with a stored key: no SPC was made for it.
    var usesStoredKey: Bool { state.withLock { $0.persistable != nil && !$0.hasSPC } }

    /// True if the request waits for the device's result.
    var awaitsResult: Bool { state.withLock { $0.isAnswered && $0.outcome == nil } }

    /// True if an SPC was made or a response was given, and the request has not ended.
    var isInProgress: Bool { state.withLock { ($0.isAnswered || $0.hasSPC) && $0.outcome == nil } }

    /// The asset that needs the key; nil for a preloaded key, or if the system does not provide it. A key of an
    /// interstitial has the interstitial's asset.
    @available(iOS 26, macOS 26, tvOS 26, visionOS 26, *)
    public var originatingRecipient: (any AVContentKeyRecipient)? { current.originatingRecipient }

    /// True if the request still waits for a response.
    public var isOpen: Bool {
        let (current, isOver) = state.withLock {
            (PlatformObject($0.persistable ?? $0.request), $0.isAnswered || $0.outcome != nil)
        }
        guard !isOver else { return false }
        switch current.object.status {
        case .requestingResponse: return true
        case .cancelled:
            // AVFoundation may cancel a request without a call of the delegate.
            complete(.cancelled)
            return false
        default: return false
        }
    }

    /// The error that the delegate received for the response; nil before that, or if it received none.
    public var error: ContentKeyError? { state.withLock { $0.error } }

    /// Creates the SPC for the key server.
    public func makeStreamingContentKeyRequestData(
        certificate: [UInt8],
        contentIdentifier: [UInt8],
        protocolVersions: [UInt32]
    ) async throws(ContentKeyError) -> [UInt8] {
        guard isOpen else { throw ContentKeyError(.requestAnswered, .request) }
        guard core.keySystem != .fairPlayStreaming || core.session.object.keySystem == .fairPlayStreaming else {
            throw ContentKeyError(.notAvailableInSimulator, .device)
        }
        state.withLock { $0.hasSPC = true }
        let parameters = SPCParameters(
            certificate: Data(certificate),
            contentIdentifier: Data(contentIdentifier),
            protocolVersions: protocolVersions,
            deviceIdentifier: core.settings.deviceIdentifier
        )
        do throws(ContentKeyError) {
            return try await makeSPC(parameters)
        } catch  where error.number == PlatformErrors.cannotRandomizeDeviceIdentifier {
            // The playback destination, such as an AirPlay receiver, cannot do this.
            return try await makeSPC(parameters.withDeviceIdentifier)
        }
    }

    /// Converts this request into a request for a persistable key.
    public func respondByRequestingPersistableKey() async throws(ContentKeyError) {
        guard isOpen else { throw ContentKeyError(.requestAnswered, .request) }
        guard state.withLock({ $0.persistable }) == nil else { return }
        let persistable = try await core.persistableRequest(for: self, current)
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
        let resultTimeout = Task { [weak self, settings = core.settings] in
            guard (try? await settings.clock.sleep(for: settings.resultTimeout)) != nil, let self else { return }
            switch self.current.status {
            case .renewed: self.complete(.renewed)
            case .cancelled: self.complete(.cancelled)
            // A received response is not a valid key: AVFoundation reports success by a call of the delegate.
            default: self.complete(.failed)
            }
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
        let isFirst = state.withLock { state in
            guard !state.isAnswered, state.outcome == nil else { return false }
            state.isAnswered = true
            return true
        }
        guard isFirst else { return }
        current.processContentKeyResponseError(PlatformFailure.error(error))
        complete(.failed)
    }

    /// Sets the result of the request. Only the first result counts.
    func complete(_ outcome: ContentKeyRequestStatus, _ error: ContentKeyError? = nil) {
        let waiter = state.withLock { state in
            guard state.outcome == nil else { return nil as CheckedContinuation<ContentKeyRequestStatus, Never>? }
            (state.outcome, state.error) = (outcome, error)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: outcome)
        core.close(id)
    }

    private func makeSPC(_ parameters: SPCParameters) async throws(ContentKeyError) -> [UInt8] {
        let request = current
        #if SDK_27 || compiler(>=6.4)
        #if (os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS)
        if #available(iOS 27, tvOS 27, *), core.session.object.supportsAdvisoryKeys {
            return try await makeOptionalSPC(parameters, request)
        }
        #endif
        #endif
        return try await platformData(.request) { handler in
            request.makeStreamingContentKeyRequestData(
                forApp: parameters.certificate,
                contentIdentifier: parameters.contentIdentifier,
                options: parameters.options,
                completionHandler: handler
            )
        }
    }

    #if SDK_27 || compiler(>=6.4)
    #if (os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS)
    /// Creates the SPC of a session with advisory keys. AVFoundation may already have the key; then the request has
    /// ended.
    @available(iOS 27, tvOS 27, *)
    private func makeOptionalSPC(
        _ parameters: SPCParameters,
        _ request: AVContentKeyRequest
    ) async throws(ContentKeyError) -> [UInt8] {
        let result: Result<[UInt8]?, ContentKeyError> = await withCheckedContinuation { continuation in
            request.makeOptionalStreamingContentKeyRequestData(
                forApp: parameters.certificate,
                contentIdentifier: parameters.contentIdentifier,
                options: parameters.options
            ) { data, error in
                continuation.resume(
                    returning: error.map { .failure(ContentKeyError(platform: $0, .request)) }
                        ?? .success(data.map { Array($0) })
                )
            }
        }
        guard let spc = try result.get() else {
            // Nothing to send and nothing to answer.
            complete(.receivedResponse)
            core.events.add(.didSucceed(identifier: identifier, usedStoredKey: false))
            throw ContentKeyError(.requestAnswered, .request, reason: "an advisory key answered the request")
        }
        return spc
    }
    #endif
    #endif
}

/// The parameters of AVFoundation for an SPC.
private struct SPCParameters: Sendable {
    let certificate: Data
    let contentIdentifier: Data
    let protocolVersions: [UInt32]
    var deviceIdentifier: PlatformSessionSettings.DeviceIdentifier

    /// The same parameters with the identifier of the device.
    var withDeviceIdentifier: Self {
        var copy = self
        copy.deviceIdentifier = .device
        return copy
    }

    var options: [String: Any] {
        var options: [String: Any] = [
            AVContentKeyRequestProtocolVersionsKey: protocolVersions.map { NSNumber(value: $0) }
        ]
        if #available(iOS 26, macOS 26, tvOS 26, visionOS 26, *), case .random(let seed) = deviceIdentifier {
            options[AVContentKeyRequestShouldRandomizeDeviceIdentifierKey] = true
            if let seed { options[AVContentKeyRequestRandomDeviceIdentifierSeedKey] = Data(seed) }
        }
        return options
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
