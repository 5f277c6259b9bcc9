/// What a run has written.
package struct PackagingReport: Sendable {
    /// The renditions, in the order of the plan.
    package var renditions: [Rendition]
    /// The playlists.
    package var playlists: PresentationPlaylists
    /// What was found on the way that did not stop the work.
    package var warnings: [String]
    /// How many bytes of the inputs were read.
    package var bytesRead: Int
    /// How many bytes of media were written.
    package var bytesWritten: Int
}
