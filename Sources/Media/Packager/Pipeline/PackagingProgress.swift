/// How far the packaging of a job is.
public struct PackagingProgress: Sendable {
    /// How many bytes of the inputs have been read.
    public var bytesRead: Int
    /// How many bytes the inputs have; nil when one of them is a pipe.
    public var bytesTotal: Int?
    /// How many bytes have been written.
    public var bytesWritten: Int

    /// Describes how far it is.
    package init(bytesRead: Int, bytesTotal: Int?, bytesWritten: Int) {
        (self.bytesRead, self.bytesTotal, self.bytesWritten) = (bytesRead, bytesTotal, bytesWritten)
    }
}
