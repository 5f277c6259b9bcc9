public import ByteCoding

/// A `tkhd` box: the header of a track (ISO/IEC 14496-12, 8.3.2). Version 1 has 8 bytes where version 0 has 4.
///
///     creation_time, modification_time   4 or 8 bytes each
///     track_ID                           4 bytes
///     reserved                           4 bytes
///     duration                           4 or 8 bytes   in the timescale of mvhd
///     reserved                           8 bytes
///     layer, alternate_group             2 bytes each
///     volume                             2 bytes        8.8; 1.0 for audio
///     reserved                           2 bytes
///     matrix                             36 bytes
///     width, height                      4 bytes each   16.16
public struct TrackHeaderBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "tkhd"

    /// The flags: bit 0 is enabled, bit 1 is in the movie, bit 2 is in the preview.
    public var flags: UInt32
    /// The ID of the track; not 0.
    public var trackID: UInt32
    /// The duration of the track in the timescale of the movie.
    public var duration: UInt64
    /// The alternate group. Tracks with the same number, except 0, are alternatives.
    public var alternateGroup: UInt16
    /// True if the track has audio volume.
    public var hasVolume: Bool
    /// The transformation matrix, 36 bytes.
    public var matrix: [UInt8]
    /// The display width in pixels as a 16.16 fixed-point number.
    public var width: UInt32
    /// The display height in pixels as a 16.16 fixed-point number.
    public var height: UInt32

    /// Creates a box for an enabled track.
    public init(
        trackID: UInt32,
        duration: UInt64 = 0,
        alternateGroup: UInt16 = 0,
        hasVolume: Bool = false,
        width: UInt32 = 0,
        height: UInt32 = 0
    ) {
        flags = 3
        self.trackID = trackID
        self.duration = duration
        self.alternateGroup = alternateGroup
        self.hasVolume = hasVolume
        matrix = Matrix.identity
        self.width = width
        self.height = height
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        flags = header.flags
        try reader.skip(header.version == 0 ? 8 : 16, "times of the tkhd box")
        trackID = try reader.readUInt32("track ID")
        try reader.skip(4, "reserved")
        duration = try reader.readTime(header, "duration of the tkhd box")
        try reader.skip(10, "reserved and layer")
        alternateGroup = try reader.readUInt16("alternate group")
        hasVolume = try reader.readUInt16("volume") != 0
        try reader.skip(2, "reserved")
        matrix = try reader.readBytes(36, "matrix of the tkhd box")
        width = try reader.readUInt32("width of the tkhd box")
        height = try reader.readUInt32("height of the tkhd box")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        let version: UInt8 = duration > UInt32.max ? 1 : 0
        writer.fullBox(Self.type, version: version, flags: flags) { writer in
            writer.zeros(version == 0 ? 8 : 16)
            writer.write(trackID)
            writer.zeros(4)
            writer.writeTime(duration, version)
            writer.zeros(10)
            writer.write(alternateGroup)
            writer.write(UInt16(hasVolume ? 0x0100 : 0))
            writer.zeros(2)
            writer.write(matrix)
            writer.write(width)
            writer.write(height)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("track_ID", trackID), BoxField("duration", duration), BoxField("flags", flags),
            BoxField("width", Double(width) / 65536), BoxField("height", Double(height) / 65536),
        ]
    }
}
