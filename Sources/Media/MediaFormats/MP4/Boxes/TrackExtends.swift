public import ByteCoding

/// `trex`: defaults for the fragments of a track (ISO/IEC 14496-12, 8.8.3).
///
///     track_ID                           4 bytes
///     default_sample_description_index   4 bytes
///     default_sample_duration            4 bytes
///     default_sample_size                4 bytes
///     default_sample_flags               4 bytes
public struct TrackExtendsBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "trex"

    /// The track.
    public var trackID: UInt32
    /// Which sample description samples have, from 1.
    public var sampleDescriptionIndex: UInt32
    /// How long samples are, in the timescale of the media.
    public var sampleDuration: UInt32
    /// How large samples are, in bytes.
    public var sampleSize: UInt32
    /// What samples are.
    public var sampleFlags: SampleFlags

    /// Makes a box.
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

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        trackID = try reader.readUInt32("track ID of a trex box")
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
}

/// What a sample of a fragment is (ISO/IEC 14496-12, 8.8.3.1).
///
///     reserved                      4 bits
///     is_leading                    2 bits
///     sample_depends_on             2 bits   1 others, 2 none
///     sample_is_depended_on         2 bits
///     sample_has_redundancy         2 bits
///     sample_padding_value          3 bits
///     sample_is_non_sync_sample     1 bit
///     sample_degradation_priority   16 bits
public struct SampleFlags: RawRepresentable, Hashable, Sendable {
    /// The 32 bits.
    public var rawValue: UInt32

    /// Makes flags of 32 bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A sync sample, which depends on no other.
    public static let sync = SampleFlags(rawValue: 0x0200_0000)
    /// A sample that depends on others and is no sync sample.
    public static let nonSync = SampleFlags(rawValue: 0x0101_0000)

    /// Whether decoding can start with the sample.
    public var isSync: Bool { rawValue & 0x0001_0000 == 0 }
}
