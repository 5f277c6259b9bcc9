#if canImport(AVFoundation) && !os(tvOS) && !os(watchOS)
import AVFoundation
public import Foundation

/// When the system may delete a download to make room: AVAssetDownloadStorageManagementPolicy as a value.
public struct DownloadStoragePolicy: Hashable, Sendable {
    /// After this, it goes before everything that has not expired.
    public var expirationDate: Date
    /// Whether others go first.
    public var isImportant: Bool

    /// Makes a policy.
    public init(expirationDate: Date = .distantFuture, isImportant: Bool = false) {
        (self.expirationDate, self.isImportant) = (expirationDate, isImportant)
    }

    /// The policy of a download; nil where none was set.
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
