public import ByteCoding

/// An `elst` box: the edit list, which maps the media to the presentation (ISO/IEC 14496-12, 8.6.6). Version 1 has 8
/// bytes where version 0 has 4.
///
///     entry_count            4 bytes
///     segment_duration       4 or 8 bytes   in the timescale of mvhd
///     media_time             4 or 8 bytes   in the timescale of mdhd; -1 for an empty edit
///     media_rate_integer     2 bytes
///     media_rate_fraction    2 bytes
public struct EditListBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "elst"

    /// One edit.
    public struct Entry: Hashable, Sendable {
        /// The duration of the edit in the timescale of the movie; 0 in a fragmented file means to the end.
        public var segmentDuration: UInt64
        /// The start of the edit in the media, in the timescale of the media; nil for an empty edit.
        public var mediaTime: Int64?
        /// The rate as a 16.16 fixed-point number; 1.0 is 0x10000.
        public var mediaRate: UInt32

        /// Creates an edit.
        public init(segmentDuration: UInt64, mediaTime: Int64?, mediaRate: UInt32 = 0x0001_0000) {
            self.segmentDuration = segmentDuration
            self.mediaTime = mediaTime
            self.mediaRate = mediaRate
        }
    }

    /// The edits in the order of the presentation.
    public var entries: [Entry]

    /// Creates a box.
    public init(entries: [Entry]) { self.entries = entries }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        let count = try reader.readCount(entrySize: header.version == 0 ? 12 : 20, "number of edits")
        entries = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let duration = try reader.readTime(header, "duration of an edit")
            let time =
                header.version == 0
                ? Int64(Int32(bitPattern: try reader.readUInt32("media time of an edit")))
                : Int64(bitPattern: try reader.readUInt64("media time of an edit"))
            let rate = try reader.readUInt32("media rate of an edit")
            entries.append(Entry(segmentDuration: duration, mediaTime: time == -1 ? nil : time, mediaRate: rate))
        }
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        let isLong = entries.contains {
            $0.segmentDuration > UInt32.max || ($0.mediaTime.map { Int32(exactly: $0) == nil } ?? false)
        }
        writer.fullBox(Self.type, version: isLong ? 1 : 0) { writer in
            writer.write(UInt32(entries.count))
            for entry in entries {
                writer.writeTime(entry.segmentDuration, isLong ? 1 : 0)
                writer.writeTime(UInt64(bitPattern: entry.mediaTime ?? -1), isLong ? 1 : 0)
                writer.write(entry.mediaRate)
            }
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [BoxField("edits", list: entries.map { "\($0.segmentDuration)@\($0.mediaTime.map(String.init) ?? "empty")" })]
    }
}
