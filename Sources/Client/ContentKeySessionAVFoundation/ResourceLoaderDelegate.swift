#if canImport(AVFoundation)
public import AVFoundation
public import ContentKeySession
import Locking

/// A delegate that answers the requests of an asset's resource loader: FairPlay keys with a ``ResourceLoaderKeySource``,
/// other addresses with a ``ResourceInterceptor``, such as the keys of AES-128.
///
///     let delegate = ResourceLoaderDelegate(
///         keys: keys,
///         interceptor: OfflineClearKeys(store: clearKeys, transport: URLSessionTransport())
///     )
///     delegate.attach(to: asset)
///
/// One delegate can have several assets. The resource loader does not retain its delegate: retain it while an asset is
/// used. An accepted request is answered also if the delegate is released.
public final class ResourceLoaderDelegate: NSObject, AVAssetResourceLoaderDelegate, @unchecked Sendable {
    // All properties are constant and Sendable, which the compiler cannot see through NSObject.
    private let interceptor: (any ResourceInterceptor)?
    #if !os(visionOS)
    private let keys: ResourceLoaderKeySource?
    #endif
    private let queue = DispatchQueue(label: "org.keyway.resource-loader")
    private let tasks = Lock<[ObjectIdentifier: Task<Void, Never>]>([:])

    /// Creates a delegate for intercepted addresses.
    public init(_ interceptor: any ResourceInterceptor) {
        self.interceptor = interceptor
        #if !os(visionOS)
        keys = nil
        #endif
        super.init()
    }

    #if !os(visionOS)
    /// Creates a delegate for FairPlay keys, whose addresses begin with `skd:`, and for intercepted addresses.
    public init(keys: ResourceLoaderKeySource, interceptor: (any ResourceInterceptor)? = nil) {
        (self.keys, self.interceptor) = (keys, interceptor)
        super.init()
    }
    #endif

    /// Becomes the delegate of an asset. Call it before the asset starts to load.
    ///
    /// - Parameters:
    ///   - asset: The asset.
    ///   - preloadsEligibleContentKeys: Whether the keys of EXT-X-SESSION-KEY tags are requested at once.
    public func attach(to asset: AVURLAsset, preloadsEligibleContentKeys: Bool = false) {
        asset.resourceLoader.setDelegate(self, queue: queue)
        asset.resourceLoader.preloadsEligibleContentKeys = preloadsEligibleContentKeys
    }

    /// Accepts requests for FairPlay keys and for intercepted addresses.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool { begin(loadingRequest, of: resourceLoader, isRenewal: false) }

    /// Renews FairPlay keys. Intercepted resources do not expire, so they are answered as the first time.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool { begin(renewalRequest, of: resourceLoader, isRenewal: true) }

    /// Cancels the work for a request that was cancelled.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {
        tasks.withLock { $0.removeValue(forKey: ObjectIdentifier(loadingRequest)) }?.cancel()
        #if !os(visionOS)
        keys?.core.cancel(loadingRequest)
        #endif
    }

    /// Starts to answer a request. Called on the queue.
    private func begin(
        _ loadingRequest: AVAssetResourceLoadingRequest,
        of resourceLoader: AVAssetResourceLoader,
        isRenewal: Bool
    ) -> Bool {
        guard let request = ResourceRequest(loadingRequest) else { return false }
        #if !os(visionOS)
        if let keys, ResourceLoaderKeys.accepts(request.url) {
            keys.core.begin(loadingRequest, request, of: resourceLoader, isRenewal: isRenewal, queue: queue)
            return true
        }
        #endif
        guard let interceptor, interceptor.intercepts(request.url) else { return false }
        // The object is accessed only on the queue on which AVFoundation provided it.
        let box = PlatformObject(loadingRequest)
        let task = Task { [interceptor, queue] in
            let result: Result<ResourceResponse, ResourceError>
            do throws(ResourceError) {
                result = .success(try await interceptor.answer(request))
            } catch {
                result = .failure(error)
            }
            queue.async {
                // A cancelled request has been removed and already finished.
                guard self.tasks.withLock({ $0.removeValue(forKey: ObjectIdentifier(box.object)) }) != nil else {
                    return
                }
                box.object.finish(result)
            }
        }
        tasks.withLock { $0[ObjectIdentifier(loadingRequest)] = task }
        return true
    }
}

extension ResourceRequest {
    /// Converts a request of AVFoundation; nil if it has no address.
    init?(_ request: AVAssetResourceLoadingRequest) {
        guard let url = request.request.url?.absoluteString else { return nil }
        self.init(
            url,
            contentInformation: request.contentInformationRequest.map { asked in
                ContentInformation(
                    allowedContentTypes: asked.allowedContentTypes?.map(ResourceContentType.init(rawValue:))
                )
            },
            data: request.dataRequest.map { asked in
                DataRange(
                    offset: UInt64(clamping: asked.requestedOffset),
                    length: asked.requestsAllDataToEndOfResource ? nil : UInt64(clamping: asked.requestedLength)
                )
            }
        )
    }
}

extension AVAssetResourceLoadingRequest {
    fileprivate func finish(_ result: Result<ResourceResponse, ResourceError>) {
        switch result {
        case .failure(let error): finishLoading(with: ResourceLoaderFailure.error(error))
        case .success(let answer): finish(answer, renewalDate: nil)
        }
    }

    /// Delivers a response in the order that AVFoundation requires: content information, data, end.
    func finish(_ answer: ResourceResponse, renewalDate: Date?) {
        if let information = answer.contentInformation, let asked = contentInformationRequest {
            asked.contentType = information.contentType.rawValue
            asked.contentLength = Int64(clamping: information.contentLength)
            asked.isByteRangeAccessSupported = information.isByteRangeAccessSupported
            if let renewalDate { asked.renewalDate = renewalDate }
        }
        if let data = answer.data { dataRequest?.respond(with: Data(data.bytes)) }
        finishLoading()
    }
}
#endif
