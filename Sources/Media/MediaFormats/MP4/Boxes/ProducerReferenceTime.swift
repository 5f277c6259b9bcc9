public import ByteCoding

/// A `prft` box: the time at which a producer created a fragment (ISO/IEC 14496-12, 8.16.5).
///
///     reference_track_ID   4 bytes
///     ntp_timestamp        8 bytes   seconds since 1900 as 32.32
///     media_time           4 bytes in version 0, 8 in version 1
public struct ProducerReferenceTimeBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "prft"

    /// The meaning of the time, 24 bits: 0 is the encoder's input, 1 is its output, 2 is the completion of the moof
    /// box.
    public var flags: UInt32
    /// The ID of the track.
    public var trackID: UInt32
    /// The NTP time: seconds since 1900 as a 32.32 fixed-point number.
    public var ntpTimestamp: UInt64
    /// The media time in the timescale of the track.
    public var mediaTime: UInt64

    /// Creates a box.
    public init(flags: UInt32, trackID: UInt32, ntpTimestamp: UInt64, mediaTime: UInt64) {
        self.flags = flags
        self.trackID = trackID
        self.ntpTimestamp = ntpTimestamp
        self.mediaTime = mediaTime
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        flags = header.flags
        trackID = try reader.readUInt32("track of the prft box")
        ntpTimestamp = try reader.readUInt64("time of the prft box")
        mediaTime = try reader.readTime(header, "media time of the prft box")
    }

    /// Writes the whole box, always in version 1.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, version: 1, flags: flags) { writer in
            writer.write(trackID)
            writer.write(ntpTimestamp)
            writer.write(mediaTime)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("reference_track_ID", trackID),
            BoxField("ntp_timestamp", Double(ntpTimestamp) / 0x1p32, unit: "s"), BoxField("media_time", mediaTime),
        ]
    }
}
