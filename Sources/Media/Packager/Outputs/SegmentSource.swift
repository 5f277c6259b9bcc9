/// A media segment whose bytes are generated on demand, so that several segments can advance in parallel.
package protocol SegmentSource: AnyObject {
    /// Generates the next bytes of the segment.
    ///
    /// - Parameter output: The destination, with at least ``SegmentSourceLimits/minimumSize`` bytes. Unused bytes at
    ///   the end are not modified.
    /// - Returns: The number of bytes generated; 0 when the segment is complete.
    func read(into output: inout MutableRawSpan) throws -> Int

    /// The positions of the key frames, once the segment is complete.
    var keyFrames: [KeyFrame] { get }
}

/// The requirements for reading from a ``SegmentSource``.
package enum SegmentSourceLimits {
    /// The minimum size in bytes of the destination.
    package static let minimumSize = 4096
}

/// A segment writer that can start a segment before the previous one is complete.
package protocol IncrementalSegmentWriter: SegmentWriter {
    /// Starts a segment. Segments must be started in order, and may be read in any order.
    func begin(_ segment: TrackSegment) throws -> any SegmentSource
}

/// An error for a track that the container does not support: the reason and how to correct it.
package struct OutputFailure: Error, Hashable, CustomStringConvertible {
    /// The reason and how to correct it.
    package let description: String

    /// Creates a failure.
    package init(_ description: String) { self.description = description }
}
