public import ByteCoding

/// An `hvcC` box: the decoder configuration of an HEVC track (ISO/IEC 14496-15, 8.3.3.1).
///
///     configurationVersion                  1 byte    1
///     general_profile_space                 2 bits
///     general_tier_flag                     1 bit
///     general_profile_idc                   5 bits
///     general_profile_compatibility_flags   4 bytes
///     general_constraint_indicator_flags    6 bytes
///     general_level_idc                     1 byte
///     reserved, min_spatial_segmentation    4 + 12 bits
///     reserved, parallelismType             6 + 2 bits
///     reserved, chromaFormat                6 + 2 bits
///     reserved, bitDepthLumaMinus8          5 + 3 bits
///     reserved, bitDepthChromaMinus8        5 + 3 bits
///     avgFrameRate                          2 bytes   in units of 1/256 Hz; 0 unspecified
///     constantFrameRate                     2 bits
///     numTemporalLayers                     3 bits
///     temporalIdNested                      1 bit
///     lengthSizeMinusOne                    2 bits
///     numOfArrays                           1 byte
///     array_completeness, reserved, type    1 + 1 + 6 bits   ┐
///     numNalus                              2 bytes          │ each array
///     length 2 bytes, NAL unit                               ┘ each
public struct HEVCConfigurationBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "hvcC"

    /// The NAL units of one type.
    public struct UnitArray: Hashable, Sendable {
        /// True if all NAL units of the type are in the box, and none in the samples.
        public var isComplete: Bool
        /// The type of the NAL units.
        public var type: HEVCNALUnitType
        /// The NAL units, including their headers.
        public var units: [[UInt8]]

        /// Creates an array.
        public init(isComplete: Bool, type: HEVCNALUnitType, units: [[UInt8]]) {
            self.isComplete = isComplete
            self.type = type
            self.units = units
        }
    }

    /// The profile, tier and level.
    public var profileTierLevel: HEVCProfileTierLevel
    /// The `min_spatial_segmentation_idc`, 12 bits.
    public var minimumSpatialSegmentation: UInt16
    /// The `parallelismType`: 0 is unknown, 1 is slices, 2 is tiles, 3 is rows.
    public var parallelism: UInt8
    /// The `chroma_format_idc`.
    public var chromaFormat: UInt8
    /// The bit depth of luma samples.
    public var lumaBitDepth: Int
    /// The bit depth of chroma samples.
    public var chromaBitDepth: Int
    /// The average frame rate in frames per 256 seconds; 0 if unspecified.
    public var averageFrameRate: UInt16
    /// The `constantFrameRate`: 1 if the frame rate is constant, 2 if it is constant in each temporal layer, 0 if
    /// unknown.
    public var constantFrameRate: UInt8
    /// The number of temporal layers; 0 if unknown.
    public var temporalLayers: UInt8
    /// True if a decoder can switch to a higher temporal layer at any picture.
    public var isTemporallyNested: Bool
    /// The size in bytes of the length before each NAL unit: 1, 2 or 4.
    public var lengthSize: Int
    /// The NAL units by type.
    public var arrays: [UnitArray]

    /// Returns the NAL units of a type.
    public func units(_ type: HEVCNALUnitType) -> [[UInt8]] { arrays.filter { $0.type == type }.flatMap(\.units) }

    /// Creates a box from the parameter sets of a stream.
    ///
    /// - Parameters:
    ///   - videoParameterSets: the video parameter sets as NAL units, including their headers.
    ///   - sequenceParameterSets: the sequence parameter sets.
    ///   - pictureParameterSets: the picture parameter sets.
    ///   - isComplete: whether the samples contain no parameter sets, as hvc1 requires.
    ///   - lengthSize: the size in bytes of the length before each NAL unit: 1, 2 or 4.
    /// - Throws: `ParseError`, as for the parameter set; `invalid-value` without a sequence parameter set;
    ///   `not-supported` for a bit depth of 16, which the box cannot represent.
    public init(
        videoParameterSets: [[UInt8]],
        sequenceParameterSets: [[UInt8]],
        pictureParameterSets: [[UInt8]],
        isComplete: Bool = true,
        lengthSize: Int = 4
    ) throws(ParseError) {
        guard let first = sequenceParameterSets.first else {
            throw ParseError(
                .invalidValue,
                reading: "hvcC box",
                offset: 0,
                reason: "the box requires a sequence parameter set"
            )
        }
        let set = try HEVCSequenceParameterSet(first.span.bytes)
        // A parameter set can specify a bit depth of 16; the box has three bits for the bit depth minus 8.
        guard max(set.lumaBitDepth, set.chromaBitDepth) <= 15 else {
            throw ParseError(
                .notSupported,
                reading: "hvcC box",
                offset: 0,
                reason: "the bit depth is \(max(set.lumaBitDepth, set.chromaBitDepth)), the maximum is 15"
            )
        }
        profileTierLevel = set.profileTierLevel
        minimumSpatialSegmentation = UInt16(set.minimumSpatialSegmentation)
        parallelism = 0
        chromaFormat = UInt8(set.chromaFormat)
        lumaBitDepth = set.lumaBitDepth
        chromaBitDepth = set.chromaBitDepth
        averageFrameRate = 0
        constantFrameRate = 0
        temporalLayers = UInt8(set.maximumSubLayers)
        isTemporallyNested = set.isTemporallyNested
        self.lengthSize = lengthSize
        arrays = [
            UnitArray(isComplete: isComplete, type: .videoParameterSet, units: videoParameterSets),
            UnitArray(isComplete: isComplete, type: .sequenceParameterSet, units: sequenceParameterSets),
            UnitArray(isComplete: isComplete, type: .pictureParameterSet, units: pictureParameterSets),
        ]
    }

    /// Reads the content of the box, after its header.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let offset = reader.offset
        let version = try reader.readUInt8("version of the hvcC box")
        // Files made before the standard was final have version 0.
        guard version <= 1 else {
            throw ParseError(
                .invalidValue,
                reading: "version of the hvcC box",
                offset: offset,
                reason: "version \(version) is not supported, the maximum is 1"
            )
        }
        let profile = try reader.readUInt8("profile of the hvcC box")
        let compatibility = try reader.readUInt32("profile compatibility of the hvcC box")
        let high = try reader.readUInt16("constraint flags of the hvcC box")
        let constraints = UInt64(high) << 32 | UInt64(try reader.readUInt32("constraint flags of the hvcC box"))
        profileTierLevel = HEVCProfileTierLevel(
            profileSpace: profile >> 6,
            isHighTier: profile & 0x20 != 0,
            profile: profile & 31,
            compatibility: compatibility,
            constraints: constraints,
            level: try reader.readUInt8("level of the hvcC box")
        )
        minimumSpatialSegmentation = try reader.readUInt16("minimum spatial segmentation") & 0xFFF
        parallelism = try reader.readUInt8("parallelism of the hvcC box") & 3
        chromaFormat = try reader.readUInt8("chroma format of the hvcC box") & 3
        lumaBitDepth = 8 + Int(try reader.readUInt8("luma bit depth of the hvcC box") & 7)
        chromaBitDepth = 8 + Int(try reader.readUInt8("chroma bit depth of the hvcC box") & 7)
        averageFrameRate = try reader.readUInt16("frame rate of the hvcC box")
        let layersOffset = reader.offset
        let layers = try reader.readUInt8("temporal layers of the hvcC box")
        constantFrameRate = layers >> 6
        temporalLayers = layers >> 3 & 7
        isTemporallyNested = layers & 4 != 0
        lengthSize = Int(layers & 3) + 1
        guard lengthSize != 3 else {
            throw ParseError(
                .invalidValue,
                reading: "length size of the hvcC box",
                offset: layersOffset,
                reason: "the size is 3 bytes, must be 1, 2 or 4"
            )
        }
        arrays = []
        for _ in 0..<(try reader.readUInt8("number of arrays in the hvcC box")) {
            let type = try reader.readUInt8("type of an array in the hvcC box")
            let count = Int(try reader.readUInt16("number of NAL units in the hvcC box"))
            arrays.append(
                UnitArray(
                    isComplete: type & 0x80 != 0,
                    type: HEVCNALUnitType(rawValue: type & 63),
                    units: try reader.readNALUnits(count, "NAL unit in the hvcC box")
                )
            )
        }
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        let profile = profileTierLevel
        writer.box(Self.type) { writer in
            writer.write(UInt8(1))
            writer.write(profile.profileSpace << 6 | (profile.isHighTier ? 0x20 : 0) | profile.profile & 31)
            writer.write(profile.compatibility)
            writer.write(UInt16(truncatingIfNeeded: profile.constraints >> 32))
            writer.write(UInt32(truncatingIfNeeded: profile.constraints))
            writer.write(profile.level)
            writer.write(0xF000 | minimumSpatialSegmentation & 0xFFF)
            writer.write(0xFC | parallelism & 3)
            writer.write(0xFC | chromaFormat & 3)
            writer.write(0xF8 | UInt8(lumaBitDepth - 8) & 7)
            writer.write(0xF8 | UInt8(chromaBitDepth - 8) & 7)
            writer.write(averageFrameRate)
            let nested: UInt8 = isTemporallyNested ? 4 : 0
            writer.write(constantFrameRate << 6 | (temporalLayers & 7) << 3 | nested | UInt8(lengthSize - 1))
            writer.write(UInt8(arrays.count))
            for array in arrays {
                writer.write((array.isComplete ? 0x80 : 0) | array.type.rawValue & 63)
                writer.write(UInt16(array.units.count))
                for unit in array.units { writer.writeNALUnit(unit) }
            }
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("general_profile_idc", profileTierLevel.profile),
            BoxField("general_tier_flag", profileTierLevel.isHighTier ? 1 : 0),
            BoxField("general_level_idc", profileTierLevel.level), BoxField("chromaFormat", chromaFormat),
            BoxField("bitDepthLuma", lumaBitDepth, unit: "bits"),
            BoxField("bitDepthChroma", chromaBitDepth, unit: "bits"),
            BoxField("lengthSize", lengthSize, unit: "bytes"), BoxField("numOfArrays", arrays.count),
        ]
    }
}
