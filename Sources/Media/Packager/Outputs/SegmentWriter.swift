import ByteCoding
package import MediaFormats

/// Writes the media segments of a rendition: one container, one track. Segments must be written in order, because the
/// writer keeps the state that continues across segments (sequence numbers, continuity counters).
///
///     let header = try writer.initialization(isProtected: true)
///     for segment in segments { let index = try writer.write(segment, to: output) }
package protocol SegmentWriter: AnyObject {
    /// The file extension of segments: `m4s`, `ts`, `aac`, `ac3` or `ec3`.
    var fileExtension: String { get }

    /// The amount of encrypted data so far. Encryption of whole segments (AES-128) does not count, because it is applied
    /// outside of the writer.
    var encryptionCount: EncryptionCount { get }

    /// Returns the init segment; nil if the container has none. Must be called before the first segment that requires
    /// it.
    ///
    /// - Parameters:
    ///   - isProtected: Whether the init segment is for encrypted segments, or for a clear lead.
    ///   - first: The first segment of the track.
    func initialization(isProtected: Bool, first: TrackSegment) throws -> [UInt8]?

    /// Changes the key, under the same scheme. The key applies to the next init segment and the next protected
    /// segments.
    ///
    /// - Parameter systems: The `pssh` boxes of the key's init segments.
    func change(to protection: TrackProtection, systems: [ProtectionSystemHeaderBox]) throws

    /// Returns the init segment with a key that is not in use yet; nil if the container has none, or before the first
    /// segment.
    ///
    /// - Parameter systems: The `pssh` boxes of the key's init segments.
    func initialization(
        changingTo protection: TrackProtection,
        systems: [ProtectionSystemHeaderBox]
    ) throws -> [UInt8]?

    /// Writes a segment, or one of its chunks.
    ///
    /// - Throws: `ProtectionFailure` if the segment is to be encrypted, but not enough of it could be encrypted. It must
    ///   not be published.
    /// - Returns: The positions of its key frames in the written bytes, for the I-frame playlist.
    func write(_ segment: TrackSegment, to output: any SegmentOutput) throws -> [KeyFrame]
}

/// The position of a key frame in a segment, including everything required for decoding except the init segment. In a
/// transport stream it starts with the PAT and PMT, one packet each.
package struct KeyFrame: Hashable, Sendable {
    /// The offset of its first byte from the start of the segment.
    package var offset: Int
    /// The size in bytes.
    package var size: Int
    /// The presentation time.
    package var presentation: RationalTime

    /// Creates a key frame.
    package init(offset: Int, size: Int, presentation: RationalTime) {
        self.offset = offset
        self.size = size
        self.presentation = presentation
    }
}

/// Receives the bytes of a segment, in order.
package protocol SegmentOutput: AnyObject {
    /// The number of bytes of this segment written so far.
    var count: Int { get }

    /// Writes bytes. They may be in a mapped input; the output must not keep a reference to them.
    func write(_ bytes: RawSpan) throws

    /// Writes parts of `bytes` consecutively.
    func write(_ ranges: [Range<Int>], of bytes: RawSpan) throws
}

extension SegmentWriter {
    package func initialization(
        changingTo protection: TrackProtection,
        systems: [ProtectionSystemHeaderBox]
    ) throws -> [UInt8]? { nil }
}

extension SegmentOutput {
    /// Writes an array.
    package func write(_ bytes: [UInt8]) throws { try write(bytes.span.bytes) }

    /// Writes the parts one by one.
    package func write(_ ranges: [Range<Int>], of bytes: RawSpan) throws {
        for range in ranges { try write(bytes.extracting(range)) }
    }
}
