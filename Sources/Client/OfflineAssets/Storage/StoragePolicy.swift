/// The storage policy of a downloaded title when disk space runs short, like AVAssetDownloadStorageManagementPolicy.
public struct StoragePolicy: Sendable, Hashable {
    /// The priority of a title.
    public enum Priority: String, Sendable, CaseIterable {
        /// Evicted before important titles.
        case `default`
        /// Evicted last.
        case important
    }

    /// The priority of the title.
    public var priority: Priority
    /// The time after which the title does not have to be kept, in seconds since 1970; nil means as long as space is
    /// available.
    public var expirationDate: Int64?

    /// Creates a policy; the default is that of a title without settings.
    public init(priority: Priority = .default, expirationDate: Int64? = nil) {
        (self.priority, self.expirationDate) = (priority, expirationDate)
    }
}
