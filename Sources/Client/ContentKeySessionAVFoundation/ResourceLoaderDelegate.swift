#if canImport(AVFoundation)
public import AVFoundation
public import ContentKeySession
import Locking

/// A delegate that answers the requests of an asset's resource loader with a ``ResourceInterceptor``.
///
///     let delegate = ResourceLoaderDelegate(OfflineClearKeys(store: keys, transport: URLSessionTransport()))
///     delegate.attach(to: asset)
///
/// The resource loader does not retain its delegate: retain it while the asset is used.
public final class ResourceLoaderDelegate: NSObject, AVAssetResourceLoaderDelegate, @unchecked Sendable {
    // All properties are constant and Sendable, which the compiler cannot see through NSObject.
    private let interceptor: any ResourceInterceptor
    private let queue = DispatchQueue(label: "org.keyway.resource-loader")
    private let tasks = Lock<[ObjectIdentifier: Task<Void, Never>]>([:])

    /// Creates a delegate.
    public init(_ interceptor: any ResourceInterceptor) {
        self.interceptor = interceptor
        super.init()
    }

    /// Becomes the delegate of an asset. Call it before the asset starts to load.
    ///
    /// - Parameters:
    ///   - asset: The asset.
    ///   - preloadsEligibleContentKeys: Whether the keys of EXT-X-SESSION-KEY tags are requested at once.
    public func attach(to asset: AVURLAsset, preloadsEligibleContentKeys: Bool = false) {
        asset.resourceLoader.setDelegate(self, queue: queue)
        asset.resourceLoader.preloadsEligibleContentKeys = preloadsEligibleContentKeys
    }

    /// Accepts the requests that the interceptor answers.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool { begin(loadingRequest) }

    /// Handles renewals like other requests, because these resources do not expire.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool { begin(renewalRequest) }

    /// Cancels the work for a request that was cancelled.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {
        tasks.withLock { $0.removeValue(forKey: ObjectIdentifier(loadingRequest)) }?.cancel()
    }

    /// Starts to answer a request. Called on the queue.
    private func begin(_ loadingRequest: AVAssetResourceLoadingRequest) -> Bool {
        guard let request = ResourceRequest(loadingRequest), interceptor.intercepts(request.url) else { return false }
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
    /// Delivers a response in the order that AVFoundation requires: content information, data, end.
    fileprivate func finish(_ result: Result<ResourceResponse, ResourceError>) {
        switch result {
        case .failure(let error): finishLoading(with: error)
        case .success(let answer):
            if let information = answer.contentInformation, let asked = contentInformationRequest {
                asked.contentType = information.contentType.rawValue
                asked.contentLength = Int64(clamping: information.contentLength)
                asked.isByteRangeAccessSupported = information.isByteRangeAccessSupported
            }
            if let data = answer.data { dataRequest?.respond(with: Data(data.bytes)) }
            finishLoading()
        }
    }
}
#endif
