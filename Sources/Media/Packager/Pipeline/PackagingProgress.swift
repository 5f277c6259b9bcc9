/// The progress of packaging a job.
public struct PackagingProgress: Sendable {
    /// The number of bytes of the inputs read so far.
    public var bytesRead: Int
    /// The total size of the inputs in bytes; nil if one of them is a pipe.
    public var bytesTotal: Int?
    /// The number of bytes written so far.
    public var bytesWritten: Int

    /// Creates a progress value.
    package init(bytesRead: Int, bytesTotal: Int?, bytesWritten: Int) {
        (self.bytesRead, self.bytesTotal, self.bytesWritten) = (bytesRead, bytesTotal, bytesWritten)
    }
}
