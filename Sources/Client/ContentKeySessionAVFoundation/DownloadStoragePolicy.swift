#if canImport(AVFoundation) && !os(tvOS) && !os(watchOS)
import AVFoundation
public import Foundation

/// The policy by which the system deletes downloads to free space: AVAssetDownloadStorageManagementPolicy as a value.
public struct DownloadStoragePolicy: Hashable, Sendable {
    /// The date after which the download is deleted before downloads that have not expired.
    public var expirationDate: Date
    /// True if less important downloads are deleted first.
    public var isImportant: Bool

    /// Creates a policy.
    public init(expirationDate: Date = .distantFuture, isImportant: Bool = false) {
        (self.expirationDate, self.isImportant) = (expirationDate, isImportant)
    }

    /// Reads the policy of a download; nil if none was set.
    public init?(of location: URL) {
        guard let policy = AVAssetDownloadStorageManager.shared().storageManagementPolicy(for: location) else {
            return nil
        }
        self.init(expirationDate: policy.expirationDate, isImportant: policy.priority == .important)
    }

    /// Sets the policy of a download.
    public func set(for location: URL) {
        let policy = AVMutableAssetDownloadStorageManagementPolicy()
        policy.expirationDate = expirationDate
        policy.priority = isImportant ? .important : .default
        AVAssetDownloadStorageManager.shared().setStorageManagementPolicy(policy, for: location)
    }
}
#endif
