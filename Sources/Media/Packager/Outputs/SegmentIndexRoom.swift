import MediaFormats

/// Room behind an init segment for the index of a single file, which DASH needs and which is known when all segments are
/// written (ISO/IEC 23009-1, 6.3.4). Until then, and as far as it is not needed, it is a `free` box.
///
///     init | sidx | free | segments ...
struct SegmentIndexRoom {
    /// A segment that the index lists.
    struct Segment {
        /// Its size in bytes.
        var byteCount: Int
        /// How long it is, in units of the track's timescale.
        var duration: Int64
    }

    /// Where it begins in the file.
    let offset: Int
    /// How many segments it has room for.
    let capacity: Int

    /// Its size in bytes: that of the index, and the header of the box behind it.
    var size: Int { SegmentIndexBox.size(references: capacity) + 8 }

    /// Where it lies in the file.
    var range: Range<Int> { offset..<offset + size }

    /// What fills it at first.
    var placeholder: [UInt8] { Self.freeBox(size) }

    /// What fills it in the end. Where there are more segments than were expected, neighbors are listed as one: a
    /// player then fetches more at once.
    ///
    /// - Parameters:
    ///   - segments: All segments that follow, without gaps.
    ///   - timescale: Units per second.
    ///   - start: When the first one is presented, in units of the timescale.
    /// - Returns: The bytes, and how many of them are the index.
    /// - Throws: ``OutputFailure`` when one is too large to be listed.
    func fill(_ segments: [Segment], timescale: UInt32, start: UInt64) throws(OutputFailure) -> (
        bytes: [UInt8], indexSize: Int
    ) {
        let together = max(1, (segments.count + capacity - 1) / max(capacity, 1))
        var references: [SegmentIndexBox.Reference] = []
        for first in stride(from: 0, to: segments.count, by: together) {
            let part = segments[first..<min(first + together, segments.count)]
            let byteCount = part.reduce(0) { $0 + $1.byteCount }
            let duration = part.reduce(0) { $0 + $1.duration }
            guard byteCount < 1 << 31, let duration = UInt32(exactly: duration) else {
                throw OutputFailure("a segment of \(byteCount) bytes is too large for an index: make segments shorter")
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
