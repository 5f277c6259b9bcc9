import MediaFormats

/// The space reserved after the init segment for the index (`sidx`) of a single file, which DASH requires and which is
/// only known when all segments are written (ISO/IEC 23009-1, 6.3.4). Until then the space, and later its unused part,
/// is a `free` box.
///
///     init | sidx | free | segments ...
struct SegmentIndexReservation {
    /// A segment that the index lists.
    struct Segment {
        /// The size in bytes.
        var byteCount: Int
        /// The duration in units of the track's timescale.
        var duration: Int64
    }

    /// The offset in the file.
    let offset: Int
    /// The maximum number of entries.
    let capacity: Int

    /// The size in bytes: that of the index, plus the header of the `free` box after it.
    var size: Int { SegmentIndexBox.size(references: capacity) + 8 }

    /// The byte range in the file.
    var range: Range<Int> { offset..<offset + size }

    /// The initial content.
    var placeholder: [UInt8] { Self.freeBox(size) }

    /// Returns the final content. If there are more segments than entries, adjacent segments share an entry; a player
    /// then requests more at once.
    ///
    /// - Parameters:
    ///   - segments: All segments that follow, without gaps.
    ///   - timescale: Units per second.
    ///   - start: The presentation time of the first segment, in units of the timescale.
    /// - Returns: The bytes, and the size of the index in them.
    /// - Throws: ``OutputFailure`` if a segment is too large for an entry.
    func fill(_ segments: [Segment], timescale: UInt32, start: UInt64) throws(OutputFailure) -> (
        bytes: [UInt8], indexSize: Int
    ) {
        let segmentsPerEntry = max(1, (segments.count + capacity - 1) / max(capacity, 1))
        var references: [SegmentIndexBox.Reference] = []
        for first in stride(from: 0, to: segments.count, by: segmentsPerEntry) {
            let part = segments[first..<min(first + segmentsPerEntry, segments.count)]
            let byteCount = part.reduce(0) { $0 + $1.byteCount }
            let duration = part.reduce(0) { $0 + $1.duration }
            guard byteCount < 1 << 31, let duration = UInt32(exactly: duration) else {
                throw OutputFailure(
                    "a segment of \(byteCount) bytes is too large for the segment index: use shorter segments"
                )
            }
            references.append(.init(size: UInt32(byteCount), duration: duration))
        }
        let indexSize = SegmentIndexBox.size(references: references.count)
        let index = SegmentIndexBox(
            referenceID: 1,
            timescale: timescale,
            earliestPresentationTime: start,
            firstOffset: UInt64(size - indexSize),
            references: references
        )
        var writer = BoxWriter(capacity: size)
        index.write(to: &writer)
        return (writer.bytes + Self.freeBox(size - indexSize), indexSize)
    }

    private static func freeBox(_ size: Int) -> [UInt8] {
        var writer = BoxWriter(capacity: size)
        writer.box("free") { $0.zeros(size - 8) }
        return writer.bytes
    }
}
