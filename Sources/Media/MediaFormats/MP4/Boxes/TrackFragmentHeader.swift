public import ByteCoding

/// A `tfhd` box: the header of a track fragment, with its defaults (ISO/IEC 14496-12, 8.8.7).
///
///     track_ID                   4 bytes
///     base_data_offset           8 bytes   if flags 0x000001
///     sample_description_index   4 bytes   if flags 0x000002
///     default_sample_duration    4 bytes   if flags 0x000008
///     default_sample_size        4 bytes   if flags 0x000010
///     default_sample_flags       4 bytes   if flags 0x000020
///
/// Flag 0x010000: the duration is empty; flag 0x020000: offsets are relative to the moof box.
public struct TrackFragmentHeaderBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "tfhd"

    /// The ID of the track.
    public var trackID: UInt32
    /// The offset in the file that data offsets are relative to; if nil, see ``isDefaultBaseMoof``.
    public var baseDataOffset: UInt64?
    /// The index of the sample description, from 1; nil for the default of `trex`.
    public var sampleDescriptionIndex: UInt32?
    /// The default duration of samples in the timescale of the media; nil for the default of `trex`.
    public var sampleDuration: UInt32?
    /// The default size of samples in bytes; nil for the default of `trex`.
    public var sampleSize: UInt32?
    /// The default flags of samples; nil for the default of `trex`.
    public var sampleFlags: SampleFlags?
    /// True if the fragment has no samples of this track.
    public var isDurationEmpty: Bool
    /// True if data offsets are relative to the start of the moof box.
    public var isDefaultBaseMoof: Bool

    /// Creates a box whose data offsets are relative to the moof box.
    public init(
        trackID: UInt32,
        sampleDescriptionIndex: UInt32? = nil,
        sampleDuration: UInt32? = nil,
        sampleSize: UInt32? = nil,
        sampleFlags: SampleFlags? = nil
    ) {
        self.trackID = trackID
        self.sampleDescriptionIndex = sampleDescriptionIndex
        self.sampleDuration = sampleDuration
        self.sampleSize = sampleSize
        self.sampleFlags = sampleFlags
        isDurationEmpty = false
        isDefaultBaseMoof = true
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let flags = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0).flags
        trackID = try reader.readUInt32("track ID of a fragment")
        baseDataOffset = flags & 0x01 == 0 ? nil : try reader.readUInt64("base data offset")
        sampleDescriptionIndex = flags & 0x02 == 0 ? nil : try reader.readUInt32("sample description index")
        sampleDuration = flags & 0x08 == 0 ? nil : try reader.readUInt32("default sample duration")
        sampleSize = flags & 0x10 == 0 ? nil : try reader.readUInt32("default sample size")
        sampleFlags = flags & 0x20 == 0 ? nil : SampleFlags(rawValue: try reader.readUInt32("default sample flags"))
        isDurationEmpty = flags & 0x01_0000 != 0
        isDefaultBaseMoof = flags & 0x02_0000 != 0
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        var flags: UInt32 = 0
        if baseDataOffset != nil { flags |= 0x01 }
        if sampleDescriptionIndex != nil { flags |= 0x02 }
        if sampleDuration != nil { flags |= 0x08 }
        if sampleSize != nil { flags |= 0x10 }
        if sampleFlags != nil { flags |= 0x20 }
        if isDurationEmpty { flags |= 0x01_0000 }
        if isDefaultBaseMoof { flags |= 0x02_0000 }
        writer.fullBox(Self.type, flags: flags) { writer in
            writer.write(trackID)
            if let baseDataOffset { writer.write(baseDataOffset) }
            if let sampleDescriptionIndex { writer.write(sampleDescriptionIndex) }
            if let sampleDuration { writer.write(sampleDuration) }
            if let sampleSize { writer.write(sampleSize) }
            if let sampleFlags { writer.write(sampleFlags.rawValue) }
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        var fields = [BoxField("track_ID", trackID)]
        if let baseDataOffset { fields.append(BoxField("base_data_offset", baseDataOffset)) }
        if let sampleDuration { fields.append(BoxField("default_sample_duration", sampleDuration)) }
        if isDefaultBaseMoof { fields.append(BoxField("default_base_is_moof", 1)) }
        return fields
    }
}
