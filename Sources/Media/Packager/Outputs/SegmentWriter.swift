import ByteCoding
package import MediaFormats

/// Makes the bytes of a rendition's media segments: one container, one track. What it is told in order it writes in
/// order; it keeps what has to be continuous from segment to segment (sequence numbers, continuity counters).
///
///     let header = try writer.initialization(isProtected: true)
///     for segment in segments { let index = try writer.write(segment, to: output) }
package protocol SegmentWriter: AnyObject {
    /// The suffix of its segments' names: `m4s`, `ts`, `aac`, `ac3`, `ec3`.
    var fileExtension: String { get }

    /// The init segment; nil where the container has none. Asked for before the first segment that needs it.
    ///
    /// - Parameters:
    ///   - isProtected: Whether it is for protected segments, or for a clear lead.
    ///   - first: The first segment of the track.
    func initialization(isProtected: Bool, first: MediaSegment) throws -> [UInt8]?

    /// Goes on with another key, under the same scheme: it holds for the init segment that is asked for and the protected
    /// segments that are written next.
    ///
    /// - Parameter systems: The `pssh` boxes of the key's init segments.
    func change(to protection: TrackProtection, systems: [ProtectionSystemHeaderBox]) throws

    /// Writes a segment.
    ///
    /// - Returns: Where its key frames lie in what was written, for the I-frame playlist.
    func write(_ segment: MediaSegment, to output: any SegmentOutput) throws -> [KeyFrame]
}

/// Where a key frame lies in a segment, with all that is needed to decode it but the init segment. In a transport stream
/// it begins with PAT and PMT, a packet each.
package struct KeyFrame: Hashable, Sendable {
    /// Its first byte, counted from the beginning of the segment.
    package var offset: Int
    /// Its size in bytes.
    package var size: Int
    /// When it is presented.
    package var presentation: MediaTime

    /// Describes a key frame.
    package init(offset: Int, size: Int, presentation: MediaTime) {
        self.offset = offset
        self.size = size
        self.presentation = presentation
    }
}

/// Takes the bytes of a segment, in order.
package protocol SegmentOutput: AnyObject {
    /// How many bytes of this segment were written.
    var count: Int { get }

    /// Writes bytes. They may lie in a mapped input; what is written is not kept.
    func write(_ bytes: RawSpan) throws

    /// Writes parts of `bytes`, one behind the other.
    func write(_ ranges: [Range<Int>], of bytes: RawSpan) throws
}

extension SegmentOutput {
    /// Writes an array.
    package func write(_ bytes: [UInt8]) throws { try write(bytes.span.bytes) }

    /// Writes part by part.
    package func write(_ ranges: [Range<Int>], of bytes: RawSpan) throws {
        for range in ranges { try write(bytes.extracting(range)) }
    }
}
