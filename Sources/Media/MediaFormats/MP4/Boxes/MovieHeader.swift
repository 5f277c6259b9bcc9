public import ByteCoding

/// An `mvhd` box: the header of the presentation (ISO/IEC 14496-12, 8.2.2). Version 1 has 8 bytes where version 0 has
/// 4.
///
///     creation_time       4 or 8 bytes   seconds since 1904-01-01
///     modification_time   4 or 8 bytes
///     timescale           4 bytes        units per second
///     duration            4 or 8 bytes
///     rate                4 bytes        16.16, 1.0
///     volume              2 bytes        8.8, 1.0
///     reserved            10 bytes
///     matrix              36 bytes
///     pre_defined         24 bytes
///     next_track_ID       4 bytes
public struct MovieHeaderBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "mvhd"

    /// The timescale of the durations in `mvhd`, `tkhd` and `elst`, in units per second.
    public var timescale: UInt32
    /// The duration of the presentation in units of ``timescale``; 0 if it is fragmented.
    public var duration: UInt64
    /// A track ID that is larger than any in use.
    public var nextTrackID: UInt32

    /// Creates a box.
    public init(timescale: UInt32, duration: UInt64, nextTrackID: UInt32) {
        self.timescale = timescale
        self.duration = duration
        self.nextTrackID = nextTrackID
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        try reader.skip(header.version == 0 ? 8 : 16, "times of the mvhd box")
        timescale = try reader.readTimescale(Self.type)
        duration = try reader.readTime(header, "duration of the mvhd box")
        try reader.skip(76, "rate, volume and matrix of the mvhd box")
        nextTrackID = try reader.readUInt32("next track ID")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        let version: UInt8 = duration > UInt32.max ? 1 : 0
        writer.fullBox(Self.type, version: version) { writer in
            writer.zeros(version == 0 ? 8 : 16)
            writer.write(timescale)
            writer.writeTime(duration, version)
            writer.write(UInt32(0x0001_0000))
            writer.write(UInt16(0x0100))
            writer.zeros(10)
            writer.write(Matrix.identity)
            writer.zeros(24)
            writer.write(nextTrackID)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("timescale", timescale), BoxField("duration", duration)] }
}

/// The transformation matrix of `mvhd` and `tkhd`: 9 numbers of 4 bytes.
enum Matrix {
    static let identity: [UInt8] = [0x0001_0000, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000].flatMap {
        (value: UInt32) in
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
}

extension ByteReader {
    /// Reads a timescale, which must not be 0.
    mutating func readTimescale(_ type: FourCC) throws(ParseError) -> UInt32 {
        let offset = self.offset
        let timescale = try readUInt32("timescale of the \(type) box")
        guard timescale > 0 else {
            throw ParseError(
                .invalidValue,
                reading: "timescale of the \(type) box",
                offset: offset,
                reason: "the timescale must not be 0"
            )
        }
        return timescale
    }
}

extension BoxWriter {
    /// Writes a number of 4 bytes if the box has version 0, or 8 bytes if it has version 1.
    mutating func writeTime(_ value: UInt64, _ version: UInt8) {
        if version == 0 { write(UInt32(truncatingIfNeeded: value)) } else { write(value) }
    }
}
