// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stub for type-checking: see README.md.

import Dispatch
public import Foundation
public import FoundationNetworking

public let AVStreamingKeyDeliveryContentKeyType = "com.apple.streamingkeydelivery.contentkey"
public let AVStreamingKeyDeliveryPersistentContentKeyType = "com.apple.streamingkeydelivery.persistentcontentkey"
public let AVAssetResourceLoadingRequestStreamingContentKeyRequestRequiresPersistentKey = "RequiresPersistentKey"

open class AVAssetResourceLoader: NSObject {
    open private(set) weak var delegate: (any AVAssetResourceLoaderDelegate)?
    open var delegateQueue: dispatch_queue_t? { nil }
    open var preloadsEligibleContentKeys = false

    open func setDelegate(_ delegate: (any AVAssetResourceLoaderDelegate)?, queue delegateQueue: dispatch_queue_t?) {
        self.delegate = delegate
    }
}

public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    )
}

open class AVAssetResourceLoadingRequest: NSObject {
    open var request: URLRequest { URLRequest(url: URL(fileURLWithPath: "/")) }
    open var isFinished: Bool { false }
    open var isCancelled: Bool { false }
    open var contentInformationRequest: AVAssetResourceLoadingContentInformationRequest? { nil }
    open var dataRequest: AVAssetResourceLoadingDataRequest? { nil }

    open func finishLoading() {}
    open func finishLoading(with error: (any Error)?) {}

    @available(iOS, deprecated: 18, message: "AVContentKeySession does this now")
    open func streamingContentKeyRequestData(
        forApp appIdentifier: Data,
        contentIdentifier: Data,
        options: [String: Any]? = nil
    ) throws -> Data { Data() }
    @available(iOS, deprecated: 18, message: "AVContentKeySession does this now")
    open func persistentContentKey(
        fromKeyVendorResponse keyVendorResponse: Data,
        options: [String: Any]? = nil
    ) throws -> Data { Data() }
}

open class AVAssetResourceRenewalRequest: AVAssetResourceLoadingRequest {}

open class AVAssetResourceLoadingContentInformationRequest: NSObject {
    open var contentType: String?
    @available(iOS 11.2, macOS 10.13.2, tvOS 11.2, visionOS 1, *)
    open var allowedContentTypes: [String]? { nil }
    open var contentLength: Int64 = 0
    open var isByteRangeAccessSupported = false
    open var renewalDate: Date?
}

open class AVAssetResourceLoadingDataRequest: NSObject {
    open var requestedOffset: Int64 { 0 }
    open var requestedLength: Int { 0 }
    open var requestsAllDataToEndOfResource: Bool { false }
    open var currentOffset: Int64 { 0 }

    open func respond(with data: Data) {}
}
