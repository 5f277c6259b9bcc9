// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Dispatch
public import Foundation
import Locking

public let AVStreamingKeyDeliveryContentKeyType = "com.apple.streamingkeydelivery.contentkey"
public let AVStreamingKeyDeliveryPersistentContentKeyType = "com.apple.streamingkeydelivery.persistentcontentkey"
@available(iOS, introduced: 9, deprecated: 18, message: "AVContentKeySession does this now")
@available(macOS, introduced: 10.14, deprecated: 15, message: "AVContentKeySession does this now")
@available(tvOS, introduced: 9, deprecated: 18, message: "AVContentKeySession does this now")
@available(visionOS, unavailable)
public let AVAssetResourceLoadingRequestStreamingContentKeyRequestRequiresPersistentKey = "RequiresPersistentKey"

@available(iOS 6, macOS 10.9, tvOS 9, visionOS 1, *)
open class AVAssetResourceLoader: NSObject, @unchecked Sendable {
    struct State {
        weak var delegate: (any AVAssetResourceLoaderDelegate)?
        var queue: DispatchQueue?
        var preloads = false
        var sendsCommonMediaClientData = false
        var open: [AVAssetResourceLoadingRequest] = []
        var users: [WeakReference<PlaybackEngine>] = []
        var keyPreloads: [String: KeyPreload] = [:]
    }
    // The delegate and the requests are used on the delegate's queue only; the state holds the references.
    let state = UncheckedLock(State())
    let system: AppleSystem
    /// The queue of what the system does itself.
    let workQueue = DispatchQueue(label: "AVAssetResourceLoader")

    init(_ system: AppleSystem) { self.system = system }

    open var delegate: (any AVAssetResourceLoaderDelegate)? { state.withLock { $0.delegate } }
    open var delegateQueue: dispatch_queue_t? { state.withLock { $0.queue } }
    @available(iOS 9, macOS 10.11, tvOS 9, visionOS 1, *)
    open var preloadsEligibleContentKeys: Bool {
        get { state.withLock { $0.preloads } }
        set { state.withLock { $0.preloads = newValue } }
    }
    @available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
    open var sendsCommonMediaClientDataAsHTTPHeaders: Bool {
        get { state.withLock { $0.sendsCommonMediaClientData } }
        set { state.withLock { $0.sendsCommonMediaClientData = newValue } }
    }

    open func setDelegate(_ delegate: (any AVAssetResourceLoaderDelegate)?, queue delegateQueue: dispatch_queue_t?) {
        if delegate != nil, delegateQueue == nil {
            return system.raise(.invalidArgument, "setDelegate(_:queue:) requires a queue")
        }
        state.withLock { ($0.delegate, $0.queue) = (delegate, delegateQueue) }
    }
}

@available(iOS 6, macOS 10.9, tvOS 9, visionOS 1, *)
public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool
    @available(iOS 8, macOS 10.10, tvOS 9, visionOS 1, *)
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    )
}

#if !ALL_METHODS_REQUIRED
// The methods are optional in Objective-C.
extension AVAssetResourceLoaderDelegate {
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool { false }
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForRenewalOfRequestedResource renewalRequest: AVAssetResourceRenewalRequest
    ) -> Bool { false }
    public func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {}
}
#endif

/// The key of an EXT-X-SESSION-KEY tag (rule 100).
enum KeyPreload {
    case pending([@Sendable (Result<LoadedKey, NSError>) -> Void])
    case ended(Result<LoadedKey, NSError>)
}

/// A lock around objects that are not Sendable, which one queue uses.
final class UncheckedLock<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value
    init(_ value: Value) { self.value = value }
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
