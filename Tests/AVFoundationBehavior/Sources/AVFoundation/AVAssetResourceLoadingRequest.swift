// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import FoundationNetworking

@available(iOS 6, macOS 10.9, tvOS 9, visionOS 1, *)
open class AVAssetResourceLoadingRequest: NSObject {
    struct State {
        var response: URLResponse?
        var redirect: URLRequest?
        var isFinished = false
        var isCancelled = false
        var fairPlayRequest: (any FairPlayRequest)?
        var requiresPersistentKey = false
        var completion: ((AVAssetResourceLoadingRequest, NSError?) -> Void)?
    }
    let state = UncheckedLock(State())
    let system: AppleSystem
    let subject: ResourceSubject
    public let request: URLRequest
    public let contentInformationRequest: AVAssetResourceLoadingContentInformationRequest?
    public let dataRequest: AVAssetResourceLoadingDataRequest?
    @available(iOS 13, macOS 10.15, tvOS 13, visionOS 1, *)
    public let requestor = AVAssetResourceLoadingRequestor()

    init(
        _ subject: ResourceSubject,
        request: URLRequest,
        system: AppleSystem,
        completion: @escaping (AVAssetResourceLoadingRequest, NSError?) -> Void
    ) {
        (self.subject, self.request, self.system) = (subject, request, system)
        contentInformationRequest = AVAssetResourceLoadingContentInformationRequest(subject.allowedContentTypes)
        dataRequest = AVAssetResourceLoadingDataRequest()
        super.init()
        state.withLock { $0.completion = completion }
    }

    open var isFinished: Bool { state.withLock { $0.isFinished } }
    @available(iOS 7, macOS 10.9, tvOS 9, visionOS 1, *)
    open var isCancelled: Bool { state.withLock { $0.isCancelled } }
    @available(iOS 7, macOS 10.9, tvOS 9, visionOS 1, *)
    open var response: URLResponse? {
        get { state.withLock { $0.response } }
        set { state.withLock { $0.response = newValue } }
    }
    @available(iOS 7, macOS 10.9, tvOS 9, visionOS 1, *)
    open var redirect: URLRequest? {
        get { state.withLock { $0.redirect } }
        set { state.withLock { $0.redirect = newValue } }
    }

    @available(iOS 7, macOS 10.9, tvOS 9, visionOS 1, *)
    open func finishLoading() {
        // Rule 93.
        if let information = contentInformationRequest, state.withLock({ !$0.isFinished && $0.redirect == nil }) {
            guard let type = information.contentType else {
                return system.raise(.invalidArgument, "finishLoading() requires a contentType")
            }
            if let allowed = information.allowedContentTypes, !allowed.isEmpty, !allowed.contains(type) {
                return system.raise(.invalidArgument, "contentType \(type) is not in allowedContentTypes")
            }
        }
        finish(nil)
    }
    open func finishLoading(with error: (any Error)?) {
        finish(error.map { $0 as NSError } ?? NSError(domain: AVFoundationErrorDomain, code: -11800))
    }

    private func finish(_ error: NSError?) {
        let completion = state.withLock { state in
            let completion = state.completion
            state.completion = nil
            if completion != nil { state.isFinished = true }
            return completion
        }
        // Rule 96. A cancelled request has no completion either.
        guard let completion else { return system.media.log("finishLoading: the request has already finished") }
        completion(self, error)
    }

    /// Cancels the request. Returns false if it has already finished.
    func cancel() -> Bool {
        state.withLock { state in
            guard state.completion != nil else { return false }
            state.completion = nil
            // Rule 97: before didCancel.
            state.isCancelled = true
            return true
        }
    }

    @available(iOS, introduced: 7, deprecated: 18, message: "AVContentKeySession does this now")
    @available(macOS, introduced: 10.9, deprecated: 15, message: "AVContentKeySession does this now")
    @available(tvOS, introduced: 9, deprecated: 18, message: "AVContentKeySession does this now")
    @available(visionOS, unavailable)
    open func streamingContentKeyRequestData(
        forApp appIdentifier: Data,
        contentIdentifier: Data,
        options: [String: Any]? = nil
    ) throws -> Data {
        let request = try makeSPC(app: appIdentifier, content: contentIdentifier, options: options ?? [:])
        let isPersistent = options?["RequiresPersistentKey"] as? Bool ?? false
        state.withLock { ($0.fairPlayRequest, $0.requiresPersistentKey) = (request, isPersistent) }
        return request.spc
    }

    @available(iOS, introduced: 9, deprecated: 18, message: "AVContentKeySession does this now")
    @available(macOS, introduced: 10.15, deprecated: 15, message: "AVContentKeySession does this now")
    @available(tvOS, introduced: 9, deprecated: 18, message: "AVContentKeySession does this now")
    @available(visionOS, unavailable)
    open func persistentContentKey(
        fromKeyVendorResponse keyVendorResponse: Data,
        options: [String: Any]? = nil
    ) throws -> Data {
        // Rule 95: the SPC has to require a persistent key.
        let made = state.withLock { $0.requiresPersistentKey ? $0.fairPlayRequest : nil }
        guard let device = system.device, let request = made else {
            throw MediaErrors.fairPlay(NSError(domain: NSOSStatusErrorDomain, code: -42668))
        }
        do throws(NSError) {
            return try device.persistableKey(ckc: keyVendorResponse, for: request)
        } catch {
            throw MediaErrors.fairPlay(error)
        }
    }

    private func makeSPC(app: Data, content: Data, options: [String: Any]) throws(NSError) -> any FairPlayRequest {
        guard let device = system.device, let key = subject.key, key.method == .fairPlay, !system.switches.isSimulator
        else { throw MediaErrors.fairPlay(NSError(domain: NSOSStatusErrorDomain, code: -42676)) }
        let isPersistent = options["RequiresPersistentKey"] as? Bool ?? false
        // Rule 94: a persistent key only where its type is allowed.
        if isPersistent, !subject.allowedContentTypes.contains(AVStreamingKeyDeliveryPersistentContentKeyType) {
            throw MediaErrors.fairPlay(NSError(domain: NSOSStatusErrorDomain, code: -42676))
        }
        let versions = options[AVContentKeyRequestProtocolVersionsKey] as? [NSNumber]
        do throws(NSError) {
            if let renewed = subject.renewedKey { return try device.makeSPC(renewing: renewed) }
            let parameters = SPCParameters(
                certificate: app,
                contentIdentifier: content,
                versions: versions?.map(\.intValue) ?? key.versions,
                session: subject.session,
                route: subject.route,
                isPersistable: isPersistent,
                randomDeviceSeed: nil
            )
            return try device.makeSPC(parameters)
        } catch {
            throw MediaErrors.fairPlay(error)
        }
    }
}

/// The subject of a loading request: a key or a playlist.
struct ResourceSubject: Sendable {
    /// The key; nil for a playlist.
    var key: StreamContent.Key?
    var route = OutputRoute.local
    var session: UInt64 = 0
    var allowedContentTypes: [String] = []
    /// The key in use that a renewal request renews.
    var renewedKey: (any FairPlayKey)?
}

@available(iOS 8, macOS 10.10, tvOS 9, visionOS 1, *)
open class AVAssetResourceRenewalRequest: AVAssetResourceLoadingRequest {}

@available(iOS 13, macOS 10.15, tvOS 13, visionOS 1, *)
open class AVAssetResourceLoadingRequestor: NSObject, @unchecked Sendable {
    open var providesExpiredSessionReports: Bool { false }
}

@available(iOS 7, macOS 10.9, tvOS 9, visionOS 1, *)
open class AVAssetResourceLoadingContentInformationRequest: NSObject {
    open var contentType: String?
    @available(iOS 11.2, macOS 10.13.2, tvOS 11.2, visionOS 1, *)
    public let allowedContentTypes: [String]?
    open var contentLength: Int64 = 0
    open var isByteRangeAccessSupported = false
    @available(iOS 8, macOS 10.10, tvOS 9, visionOS 1, *)
    open var renewalDate: Date? {
        get { renewal }
        set { renewal = newValue }
    }
    private var renewal: Date?
    @available(iOS 16, macOS 13, tvOS 16, visionOS 1, *)
    open var isEntireLengthAvailableOnDemand: Bool {
        get { isOnDemand }
        set { isOnDemand = newValue }
    }
    private var isOnDemand = false

    init(_ allowedContentTypes: [String]) {
        self.allowedContentTypes = allowedContentTypes.isEmpty ? nil : allowedContentTypes
    }
}

@available(iOS 7, macOS 10.9, tvOS 9, visionOS 1, *)
open class AVAssetResourceLoadingDataRequest: NSObject {
    private(set) var received = Data()

    open var requestedOffset: Int64 { 0 }
    open var requestedLength: Int { Int.max }
    open var requestsAllDataToEndOfResource: Bool { true }
    open var currentOffset: Int64 { Int64(received.count) }

    open func respond(with data: Data) { received += data }
}
