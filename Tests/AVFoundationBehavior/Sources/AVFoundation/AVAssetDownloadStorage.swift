// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
import Locking

@available(iOS 11, macOS 10.15, visionOS 1, *)
@available(tvOS, unavailable)
open class AVAssetDownloadStorageManager: NSObject, @unchecked Sendable {
    private let service = AppleSystem.current.downloads

    open class func shared() -> AVAssetDownloadStorageManager { AVAssetDownloadStorageManager() }

    open func setStorageManagementPolicy(
        _ storageManagementPolicy: AVAssetDownloadStorageManagementPolicy,
        for downloadStorageURL: URL
    ) {
        service.setPolicy(
            StoragePolicy(
                isImportant: storageManagementPolicy.priority == .important,
                expirationDate: storageManagementPolicy.expirationDate
            ),
            for: downloadStorageURL
        )
    }

    /// Rule 121: nil if no policy was set.
    open func storageManagementPolicy(for downloadStorageURL: URL) -> AVAssetDownloadStorageManagementPolicy? {
        service.policy(for: downloadStorageURL).map { policy in
            let result = AVMutableAssetDownloadStorageManagementPolicy()
            result.priority = policy.isImportant ? .important : .default
            result.expirationDate = policy.expirationDate
            return result
        }
    }
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
