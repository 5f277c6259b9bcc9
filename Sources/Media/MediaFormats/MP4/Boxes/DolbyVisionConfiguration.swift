public import ByteCoding

/// A `dvcC`, `dvvC` or `dvwC` box: the Dolby Vision configuration of a track (Dolby Vision Streams within the ISO Base
/// Media File Format, 2.2).
///
///     dv_version_major                1 byte
///     dv_version_minor                1 byte
///     dv_profile                      7 bits
///     dv_level                        6 bits
///     rpu_present_flag                1 bit
///     el_present_flag                 1 bit
///     bl_present_flag                 1 bit
///     dv_bl_signal_compatibility_id   4 bits
///     reserved                        4 bits and 16 bytes   preserved; missing in some files
///
/// The type is `dvcC` for profiles up to 7, `dvvC` for 8 to 10, and `dvwC` for higher profiles.
public struct DolbyVisionConfigurationBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "dvcC"
    /// The type for profiles 8 to 10.
    public static let profile8Type: FourCC = "dvvC"
    /// The type for profiles above 10.
    public static let profile11Type: FourCC = "dvwC"
    /// The types of the boxes.
    public static let types: [FourCC] = [type, profile8Type, profile11Type]

    /// The major version of the format.
    public var majorVersion: UInt8
    /// The minor version of the format.
    public var minorVersion: UInt8
    /// The profile, 7 bits.
    public var profile: UInt8
    /// The level, 6 bits.
    public var level: UInt8
    /// True if the track contains reference processing units (RPUs), the Dolby Vision metadata.
    public var hasMetadata: Bool
    /// True if the track has an enhancement layer.
    public var hasEnhancementLayer: Bool
    /// True if the track has a base layer.
    public var hasBaseLayer: Bool
    /// The format of the base layer for players without Dolby Vision: 0 means none, 1 is HDR10, 2 is SDR, 4 is HLG, 6 is
    /// Blu-ray HDR10.
    public var baseLayerCompatibility: UInt8
    /// The lowest 4 bits of the fifth byte.
    private var lowBits: UInt8
    /// The bytes after the fifth byte.
    private var rest: [UInt8]

    /// Creates a box.
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

    /// Reads the content of the box, after its header.
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

    /// The type of the box for its profile.
    public var boxType: FourCC { profile > 10 ? Self.profile11Type : profile > 7 ? Self.profile8Type : Self.type }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.box(boxType) { writer in
            writer.write([majorVersion, minorVersion])
            let flags: UInt16 = (hasMetadata ? 4 : 0) | (hasEnhancementLayer ? 2 : 0) | (hasBaseLayer ? 1 : 0)
            writer.write(UInt16(profile & 127) << 9 | UInt16(level & 63) << 3 | flags)
            writer.write(baseLayerCompatibility << 4 | lowBits)
            writer.write(rest)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("dv_profile", profile), BoxField("dv_level", level),
            BoxField("rpu_present_flag", hasMetadata ? 1 : 0), BoxField("el_present_flag", hasEnhancementLayer ? 1 : 0),
            BoxField("bl_present_flag", hasBaseLayer ? 1 : 0),
            BoxField("dv_bl_signal_compatibility_id", baseLayerCompatibility),
        ]
    }
}

extension SampleEntry {
    /// The Dolby Vision configuration; nil if there is none.
    public var dolbyVision: DolbyVisionConfigurationBox? {
        let box = boxes.first { DolbyVisionConfigurationBox.types.contains($0.type) }
        return box.flatMap { try? $0.parse(as: DolbyVisionConfigurationBox.self) }
    }
}
