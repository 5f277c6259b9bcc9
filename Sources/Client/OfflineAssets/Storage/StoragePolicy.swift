/// How a downloaded title is to be kept when room runs short, as AVAssetDownloadStorageManagementPolicy says it.
public struct StoragePolicy: Sendable, Hashable {
    /// How much it matters.
    public enum Priority: String, Sendable, CaseIterable {
        /// It goes before what is important.
        case `default`
        /// It goes last.
        case important
    }

    /// How much it matters.
    public var priority: Priority
    /// When it need not be kept any longer, in seconds since 1970; nil: as long as there is room.
    public var expirationDate: Int64?

    /// Makes a policy; without arguments, that of a title of which nothing was said.
    public init(priority: Priority = .default, expirationDate: Int64? = nil) {
        (self.priority, self.expirationDate) = (priority, expirationDate)
    }
}
