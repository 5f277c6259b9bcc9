/// A media segment whose bytes are made as they are asked for, so that several can advance side by side.
package protocol SegmentSource: AnyObject {
    /// Makes the segment's next bytes.
    ///
    /// - Parameter output: Where they go: ``SegmentSourceLimits/smallestRoom`` bytes or more. What it does not fill is
    ///   left as it is.
    /// - Returns: How many bytes were made; 0 when the segment is complete.
    func read(into output: inout MutableRawSpan) throws -> Int

    /// Where its key frames lie, once it is complete.
    var keyFrames: [KeyFrame] { get }
}

/// What readers and makers of segments agree on.
package enum SegmentSourceLimits {
    /// The least memory that a reader may offer, in bytes.
    package static let smallestRoom = 4096
}

/// A writer that can begin a segment before the one before it is complete.
package protocol SteppedSegmentWriter: SegmentWriter {
    /// Begins a segment. Segments are begun in order; they may be read in any.
    func begin(_ segment: MediaSegment) throws -> any SegmentSource
}

/// Why a track cannot be written in a container: the reason, and what to do.
package struct OutputFailure: Error, Hashable, CustomStringConvertible {
    /// The reason, and what to do.
    package let description: String

    /// Describes a failure.
    package init(_ description: String) { self.description = description }
}
