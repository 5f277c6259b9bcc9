public import ByteCoding

/// `dvcC`, `dvvC`, `dvwC`: Dolby Vision in a track (Dolby Vision Streams within the ISO Base Media File Format, 2.2).
///
///     dv_version_major                1 byte
///     dv_version_minor                1 byte
///     dv_profile                      7 bits
///     dv_level                        6 bits
///     rpu_present_flag                1 bit
///     el_present_flag                 1 bit
///     bl_present_flag                 1 bit
///     dv_bl_signal_compatibility_id   4 bits
///     reserved                        4 bits and 16 bytes   kept as they are; some files end before
///
/// `dvcC` holds profiles up to 7, `dvvC` 8 to 10, `dvwC` those above.
public struct DolbyVisionConfigurationBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "dvcC"
    /// The type for profiles 8 to 10.
    public static let profile8Type: FourCC = "dvvC"
    /// The type for profiles above 10.
    public static let profile11Type: FourCC = "dvwC"

    /// The major version of the format.
    public var majorVersion: UInt8
    /// The minor version of the format.
    public var minorVersion: UInt8
    /// The profile, 7 bits.
    public var profile: UInt8
    /// The level, 6 bits.
    public var level: UInt8
    /// Whether the track has reference processing units.
    public var hasMetadata: Bool
    /// Whether the track has an enhancement layer.
    public var hasEnhancementLayer: Bool
    /// Whether the track has a base layer.
    public var hasBaseLayer: Bool
    /// What others see: 0 nothing, 1 HDR10, 2 SDR, 4 HLG, 6 Blu-ray HDR10.
    public var baseLayerCompatibility: UInt8
    /// The lowest 4 bits of the fifth byte.
    private var lowBits: UInt8
    /// What follows the fifth byte.
    private var rest: [UInt8]

    /// Makes a box.
    public init(
        profile: UInt8,
        level: UInt8,
        hasMetadata: Bool = true,
        hasEnhancementLayer: Bool = false,
        hasBaseLayer: Bool = true,
        baseLayerCompatibility: UInt8
    ) {
        majorVersion = 1
        minorVersion = 0
        self.profile = profile
        self.level = level
        self.hasMetadata = hasMetadata
        self.hasEnhancementLayer = hasEnhancementLayer
        self.hasBaseLayer = hasBaseLayer
        self.baseLayerCompatibility = baseLayerCompatibility
        lowBits = 0
        rest = [UInt8](repeating: 0, count: 19)
    }

    /// Reads the content, the header left out.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        majorVersion = try reader.readUInt8("major version of Dolby Vision")
        minorVersion = try reader.readUInt8("minor version of Dolby Vision")
        let bits = try reader.readUInt16("profile and level of Dolby Vision")
        profile = UInt8(bits >> 9)
        level = UInt8(bits >> 3 & 63)
        hasMetadata = bits & 4 != 0
        hasEnhancementLayer = bits & 2 != 0
        hasBaseLayer = bits & 1 != 0
        let last = reader.remaining > 0 ? try reader.readUInt8("compatibility of Dolby Vision") : 0
        baseLayerCompatibility = last >> 4
        lowBits = last & 15
        rest = try reader.readRest("reserved bytes of Dolby Vision")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.box(profile > 10 ? Self.profile11Type : profile > 7 ? Self.profile8Type : Self.type) { writer in
            writer.write([majorVersion, minorVersion])
            let flags: UInt16 = (hasMetadata ? 4 : 0) | (hasEnhancementLayer ? 2 : 0) | (hasBaseLayer ? 1 : 0)
            writer.write(UInt16(profile & 127) << 9 | UInt16(level & 63) << 3 | flags)
            writer.write(baseLayerCompatibility << 4 | lowBits)
            writer.write(rest)
        }
    }
}
