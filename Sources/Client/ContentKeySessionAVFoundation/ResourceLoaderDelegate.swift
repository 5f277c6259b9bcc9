#if canImport(AVFoundation)
public import AVFoundation
public import ContentKeySession
import Locking

/// Lets a ``ResourceInterceptor`` answer what an asset's resource loader asks.
///
///     let delegate = ResourceLoaderDelegate(KeptClearKeys(store: keys, transport: URLSessionTransport()))
///     delegate.attach(to: asset)
///
/// The resource loader does not keep its delegate alive: keep it for as long as the asset is used.
public final class ResourceLoaderDelegate: NSObject, AVAssetResourceLoaderDelegate, @unchecked Sendable {
    // Constant and Sendable, all of it; the compiler cannot see that through NSObject.
    private let interceptor: any ResourceInterceptor
    private let queue = DispatchQueue(label: "org.keyway.resource-loader")
    private let tasks = Lock<[ObjectIdentifier: Task<Void, Never>]>([:])

    /// Makes a delegate.
    public init(_ interceptor: any ResourceInterceptor) {
        self.interceptor = interceptor
        super.init()
    }

    /// Becomes the delegate of an asset, before the asset loads anything.
    ///
    /// - Parameter preloadsEligibleContentKeys: Whether keys that EXT-X-SESSION-KEY names are asked for at once.
    public func attach(to asset: AVURLAsset, preloadsEligibleContentKeys: Bool = false) {
        asset.resourceLoader.setDelegate(self, queue: queue)
        asset.resourceLoader.preloadsEligibleContentKeys = preloadsEligibleContentKeys
    }

    /// Takes the requests that the interceptor answers for.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool { begin(loadingRequest) }

    /// Takes them as any other: what is answered here does not expire.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool { begin(renewalRequest) }

    /// Ends the work for a request that nobody waits for any more.
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {
        tasks.withLock { $0.removeValue(forKey: ObjectIdentifier(loadingRequest)) }?.cancel()
    }

    /// Runs on the queue.
    private func begin(_ loadingRequest: AVAssetResourceLoadingRequest) -> Bool {
        guard let request = ResourceRequest(loadingRequest), interceptor.intercepts(request.url) else { return false }
        // It is looked at and finished on the queue alone, from which AVFoundation gave it.
        let box = PlatformObject(loadingRequest)
        let task = Task { [interceptor, queue] in
            let result: Result<ResourceAnswer, ResourceError>
            do throws(ResourceError) {
                result = .success(try await interceptor.answer(request))
            } catch {
                result = .failure(error)
            }
            queue.async {
                // One that was cancelled is gone from here, and finished already.
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
    /// What AVFoundation asks; nil for a request without an address.
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
    /// Hands over an answer. The order is AVFoundation's: what it is, the bytes, the end.
    fileprivate func finish(_ result: Result<ResourceAnswer, ResourceError>) {
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
