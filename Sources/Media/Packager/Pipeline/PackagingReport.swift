/// What a run has written.
public struct PackagingReport: Sendable {
    /// The renditions, in the order of the plan.
    package var renditions: [Rendition]
    /// The playlists.
    package var playlists: PresentationPlaylists
    /// What was found on the way that did not stop the work.
    public var warnings: [String]
    /// How many bytes of the inputs were read.
    public var bytesRead: Int
    /// How many bytes of media were written.
    public var bytesWritten: Int
}
