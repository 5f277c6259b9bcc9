public import ByteCoding

/// A `trex` box: the defaults for the fragments of a track (ISO/IEC 14496-12, 8.8.3).
///
///     track_ID                           4 bytes
///     default_sample_description_index   4 bytes
///     default_sample_duration            4 bytes
///     default_sample_size                4 bytes
///     default_sample_flags               4 bytes
public struct TrackExtendsBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "trex"

    /// The ID of the track.
    public var trackID: UInt32
    /// The default index of the sample description, from 1.
    public var sampleDescriptionIndex: UInt32
    /// The default duration of samples in the timescale of the media.
    public var sampleDuration: UInt32
    /// The default size of samples in bytes.
    public var sampleSize: UInt32
    /// The default flags of samples.
    public var sampleFlags: SampleFlags

    /// Creates a box.
    public init(
        trackID: UInt32,
        sampleDescriptionIndex: UInt32 = 1,
        sampleDuration: UInt32 = 0,
        sampleSize: UInt32 = 0,
        sampleFlags: SampleFlags = SampleFlags(rawValue: 0)
    ) {
        self.trackID = trackID
        self.sampleDescriptionIndex = sampleDescriptionIndex
        self.sampleDuration = sampleDuration
        self.sampleSize = sampleSize
        self.sampleFlags = sampleFlags
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        trackID = try reader.readUInt32("track ID of the trex box")
        sampleDescriptionIndex = try reader.readUInt32("default sample description index")
        sampleDuration = try reader.readUInt32("default sample duration")
        sampleSize = try reader.readUInt32("default sample size")
        sampleFlags = SampleFlags(rawValue: try reader.readUInt32("default sample flags"))
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.write(trackID)
            writer.write(sampleDescriptionIndex)
            writer.write(sampleDuration)
            writer.write(sampleSize)
            writer.write(sampleFlags.rawValue)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [BoxField("track_ID", trackID), BoxField("default_sample_duration", sampleDuration)]
    }
}

/// The flags of a sample in a fragment (ISO/IEC 14496-12, 8.8.3.1).
///
///     reserved                      4 bits
///     is_leading                    2 bits
///     sample_depends_on             2 bits   1: on others, 2: on none
///     sample_is_depended_on         2 bits
///     sample_has_redundancy         2 bits
///     sample_padding_value          3 bits
///     sample_is_non_sync_sample     1 bit
///     sample_degradation_priority   16 bits
public struct SampleFlags: RawRepresentable, Hashable, Sendable {
    /// The flags, 32 bits.
    public var rawValue: UInt32

    /// Creates flags from 32 bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A sync sample, which does not depend on other samples.
    public static let sync = SampleFlags(rawValue: 0x0200_0000)
    /// A sample that depends on other samples and is not a sync sample.
    public static let nonSync = SampleFlags(rawValue: 0x0101_0000)

    /// True if the sample is a sync sample, at which decoding can start.
    public var isSync: Bool { rawValue & 0x0001_0000 == 0 }
}
