public import ByteCoding

/// A `tfra` box: the locations of a track's sync samples in the fragments (ISO/IEC 14496-12, 8.8.10). It is in `mfra`.
///
///     track_ID                     4 bytes
///     reserved                     26 bits
///     length_size_of_traf_num      2 bits    each size minus 1
///     length_size_of_trun_num      2 bits
///     length_size_of_sample_num    2 bits
///     number_of_entry              4 bytes
///     time, moof_offset            4 or 8 bytes each   ┐
///     traf_number                  1 to 4 bytes        │ each entry
///     trun_number                  1 to 4 bytes        │
///     sample_number                1 to 4 bytes        ┘
public struct TrackFragmentRandomAccessBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "tfra"

    /// A sync sample.
    public struct Entry: Hashable, Sendable {
        /// The presentation time in the timescale of the media.
        public var time: UInt64
        /// The offset in bytes of its moof box in the file.
        public var moofOffset: UInt64
        /// The number of its traf box in the moof box, from 1.
        public var trafNumber: UInt32
        /// The number of its trun box in the traf box, from 1.
        public var trunNumber: UInt32
        /// The number of the sample in the trun box, from 1.
        public var sampleNumber: UInt32

        /// Creates an entry.
        public init(
            time: UInt64,
            moofOffset: UInt64,
            trafNumber: UInt32 = 1,
            trunNumber: UInt32 = 1,
            sampleNumber: UInt32 = 1
        ) {
            self.time = time
            self.moofOffset = moofOffset
            self.trafNumber = trafNumber
            self.trunNumber = trunNumber
            self.sampleNumber = sampleNumber
        }
    }

    /// The ID of the track.
    public var trackID: UInt32
    /// The sync samples.
    public var entries: [Entry]

    /// Creates a box.
    public init(trackID: UInt32, entries: [Entry]) {
        self.trackID = trackID
        self.entries = entries
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        trackID = try reader.readUInt32("track of the tfra box")
        let lengths = try reader.readUInt32("lengths of the tfra box")
        let sizes = [4, 2, 0].map { Int(lengths >> UInt32($0) & 3) + 1 }
        let entrySize = (header.version == 0 ? 8 : 16) + sizes.reduce(0, +)
        let count = try reader.readCount(entrySize: entrySize, "number of entries of the tfra box")
        entries = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let time = try reader.readTime(header, "time of a sync sample")
            let offset = try reader.readTime(header, "offset of the moof box")
            var numbers: (UInt32, UInt32, UInt32) = (0, 0, 0)
            numbers.0 = try reader.readNumber(sizes[0])
            numbers.1 = try reader.readNumber(sizes[1])
            numbers.2 = try reader.readNumber(sizes[2])
            entries.append(
                Entry(
                    time: time,
                    moofOffset: offset,
                    trafNumber: numbers.0,
                    trunNumber: numbers.1,
                    sampleNumber: numbers.2
                )
            )
        }
    }

    /// Writes the whole box, always in version 1 with numbers of 4 bytes.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, version: 1) { writer in
            writer.write(trackID)
            writer.write(UInt32(0x3F))
            writer.write(UInt32(entries.count))
            for entry in entries {
                writer.write(entry.time)
                writer.write(entry.moofOffset)
                writer.write(entry.trafNumber)
                writer.write(entry.trunNumber)
                writer.write(entry.sampleNumber)
            }
        }
    }

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("track_ID", trackID), BoxField("number_of_entry", entries.count)] }
}

extension ByteReader {
    fileprivate mutating func readNumber(_ size: Int) throws(ParseError) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<size { number = number << 8 | UInt32(try readUInt8("number in the tfra box")) }
        return number
    }
}
