/// A summary of a packaging run.
public struct PackagingReport: Sendable {
    /// The renditions, in the order of the plan.
    package var renditions: [Rendition]
    /// The playlists.
    package var playlists: PresentationPlaylists
    /// Problems that did not stop packaging.
    public var warnings: [String]
    /// The number of bytes of the inputs read.
    public var bytesRead: Int
    /// The number of bytes of media written.
    public var bytesWritten: Int
}
