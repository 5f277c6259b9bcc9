// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stub for type-checking: see README.md.

public import Foundation
public import FoundationNetworking

@available(tvOS, unavailable)
open class AVAssetDownloadURLSession: URLSession, @unchecked Sendable {
    public convenience init(
        configuration: URLSessionConfiguration,
        assetDownloadDelegate delegate: (any AVAssetDownloadDelegate)?,
        delegateQueue: OperationQueue?
    ) {
        self.init(configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
    }

    @available(iOS 15, macOS 12, visionOS 1, *)
    open func makeAssetDownloadTask(downloadConfiguration: AVAssetDownloadConfiguration) -> AVAssetDownloadTask {
        AVAssetDownloadTask(downloadConfiguration)
    }
}

@available(tvOS, unavailable)
open class AVAssetDownloadTask: URLSessionTask, @unchecked Sendable {
    public let urlAsset: AVURLAsset

    init(_ configuration: AVAssetDownloadConfiguration) {
        urlAsset = configuration.asset
        super.init()
    }
}

@available(tvOS, unavailable)
public protocol AVAssetDownloadDelegate: URLSessionTaskDelegate {
    @available(iOS 18, macOS 14, visionOS 1, *)
    func urlSession(_ session: URLSession, assetDownloadTask: AVAssetDownloadTask, willDownloadTo location: URL)
    func urlSession(_ session: URLSession, assetDownloadTask: AVAssetDownloadTask, didFinishDownloadingTo location: URL)
}

@available(iOS 15, macOS 12, tvOS 15, visionOS 1, *)
open class AVAssetDownloadConfiguration: NSObject {
    let asset: AVURLAsset
    open var artworkData: Data?

    private init(_ asset: AVURLAsset) {
        self.asset = asset
        super.init()
    }

    public convenience init(asset: AVURLAsset, title: String) { self.init(asset) }
}

@available(iOS 11, macOS 10.15, visionOS 1, *)
@available(tvOS, unavailable)
open class AVAssetDownloadStorageManager: NSObject {
    open class func shared() -> AVAssetDownloadStorageManager { AVAssetDownloadStorageManager() }
    open func setStorageManagementPolicy(
        _ storageManagementPolicy: AVAssetDownloadStorageManagementPolicy,
        for downloadStorageURL: URL
    ) {}
    open func storageManagementPolicy(for downloadStorageURL: URL) -> AVAssetDownloadStorageManagementPolicy? { nil }
}

public struct AVAssetDownloadedAssetEvictionPriority: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let important = AVAssetDownloadedAssetEvictionPriority(rawValue: "Important")
    public static let `default` = AVAssetDownloadedAssetEvictionPriority(rawValue: "Default")
}

@available(iOS 11, macOS 10.15, visionOS 1, *)
@available(tvOS, unavailable)
open class AVAssetDownloadStorageManagementPolicy: NSObject {
    open fileprivate(set) var priority = AVAssetDownloadedAssetEvictionPriority.default
    open fileprivate(set) var expirationDate = Date.distantFuture
}

@available(iOS 11, macOS 10.15, visionOS 1, *)
@available(tvOS, unavailable)
open class AVMutableAssetDownloadStorageManagementPolicy: AVAssetDownloadStorageManagementPolicy {
    open override var priority: AVAssetDownloadedAssetEvictionPriority {
        get { super.priority }
        set { super.priority = newValue }
    }
    open override var expirationDate: Date {
        get { super.expirationDate }
        set { super.expirationDate = newValue }
    }
}
