public import ByteCoding

/// A `sidx` box: the sizes and durations of the segments of a file (ISO/IEC 14496-12, 8.16.3).
///
///     reference_ID                 4 bytes   the track
///     timescale                    4 bytes
///     earliest_presentation_time   4 bytes in version 0, 8 in version 1
///     first_offset                 4 or 8 bytes, from the end of this box to the first segment
///     reserved                     2 bytes
///     reference_count              2 bytes
///     reference_type               1 bit     1: another sidx   ┐
///     referenced_size              31 bits   in bytes          │
///     subsegment_duration          4 bytes                     │ each reference
///     starts_with_SAP              1 bit                       │
///     SAP_type                     3 bits                      │
///     SAP_delta_time               28 bits                     ┘
public struct SegmentIndexBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "sidx"

    /// A reference to a segment.
    public struct Reference: Hashable, Sendable {
        /// True if the reference is to another index instead of media.
        public var isIndex: Bool
        /// The size in bytes, below 2^31.
        public var size: UInt32
        /// The duration in units of ``SegmentIndexBox/timescale``.
        public var duration: UInt32
        /// True if the segment begins with a stream access point (SAP).
        public var startsWithSAP: Bool
        /// The type of the stream access point: 1 or 2 for a sync sample; 0 if unknown.
        public var sapType: UInt8
        /// The time from the start of the segment to the stream access point, in units of
        /// ``SegmentIndexBox/timescale``.
        public var sapDeltaTime: UInt32

        /// Creates a reference to media that begin with a sync sample.
        public init(size: UInt32, duration: UInt32, startsWithSAP: Bool = true, sapType: UInt8 = 1) {
            isIndex = false
            self.size = size
            self.duration = duration
            self.startsWithSAP = startsWithSAP
            self.sapType = sapType
            sapDeltaTime = 0
        }
    }

    /// The track ID.
    public var referenceID: UInt32
    /// The timescale of the times and durations, in units per second.
    public var timescale: UInt32
    /// The presentation time of the first segment's first sample, in units of ``timescale``.
    public var earliestPresentationTime: UInt64
    /// The distance from the end of this box to the first segment in bytes.
    public var firstOffset: UInt64
    /// The references to segments, which follow each other in the file; at most 65,535.
    public var references: [Reference]

    /// Creates a box.
    public init(
        referenceID: UInt32,
        timescale: UInt32,
        earliestPresentationTime: UInt64,
        firstOffset: UInt64 = 0,
        references: [Reference]
    ) {
        self.referenceID = referenceID
        self.timescale = timescale
        self.earliestPresentationTime = earliestPresentationTime
        self.firstOffset = firstOffset
        self.references = references
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        referenceID = try reader.readUInt32("reference ID")
        timescale = try reader.readTimescale(Self.type)
        earliestPresentationTime = try reader.readTime(header, "earliest presentation time")
        firstOffset = try reader.readTime(header, "first offset of the sidx box")
        try reader.skip(2, "reserved")
        let offset = reader.offset
        let count = Int(try reader.readUInt16("number of references"))
        guard count <= reader.remaining / 12 else {
            throw ParseError(
                .invalidLength,
                reading: "number of references",
                offset: offset,
                reason: "\(count) references do not fit in the \(reader.remaining) bytes that are left"
            )
        }
        references = []
        references.reserveCapacity(count)
        for _ in 0..<count {
            let size = try reader.readUInt32("referenced size")
            let duration = try reader.readUInt32("duration of a reference")
            let sap = try reader.readUInt32("stream access point")
            var reference = Reference(size: size & 0x7FFF_FFFF, duration: duration)
            reference.isIndex = size >> 31 == 1
            reference.startsWithSAP = sap >> 31 == 1
            reference.sapType = UInt8(sap >> 28 & 7)
            reference.sapDeltaTime = sap & 0x0FFF_FFFF
            references.append(reference)
        }
    }

    /// Returns the size in bytes of the box with `count` references in version 1, to reserve space for it.
    public static func size(references count: Int) -> Int { 40 + 12 * count }

    /// Writes the whole box, always in version 1, so that its size does not depend on the times.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, version: 1) { writer in
            writer.write(referenceID)
            writer.write(timescale)
            writer.write(earliestPresentationTime)
            writer.write(firstOffset)
            writer.zeros(2)
            writer.write(UInt16(truncatingIfNeeded: references.count))
            for reference in references {
                writer.write((reference.isIndex ? 1 << 31 : 0) | reference.size & 0x7FFF_FFFF)
                writer.write(reference.duration)
                writer.write(
                    (reference.startsWithSAP ? 1 << 31 : 0) | UInt32(reference.sapType & 7) << 28
                        | reference.sapDeltaTime & 0x0FFF_FFFF
                )
            }
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("timescale", timescale), BoxField("earliest_presentation_time", earliestPresentationTime),
            BoxField("reference_count", references.count),
        ]
    }
}
