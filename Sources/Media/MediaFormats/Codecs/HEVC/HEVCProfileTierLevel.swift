import ByteCoding

/// The profile, tier and level of a stream: the capabilities that a decoder requires (ITU-T H.265, 7.3.3).
///
///     general_profile_space                u(2)
///     general_tier_flag                    u(1)
///     general_profile_idc                  u(5)
///     general_profile_compatibility_flag   u(32)
///     constraint flags                     u(48)
///     general_level_idc                    u(8)
///     sub_layer_profile_present_flag       u(1)   ┐ each sub-layer except the highest
///     sub_layer_level_present_flag         u(1)   ┘
///     reserved_zero_2bits                  u(2)   up to 8 pairs, if there are any
///     88 bits, 8 bits                             each sub-layer, where present
public struct HEVCProfileTierLevel: Hashable, Sendable {
    /// The `general_profile_space`, 0 to 3.
    public var profileSpace: UInt8
    /// True if the stream is in the high tier (`general_tier_flag`).
    public var isHighTier: Bool
    /// The `general_profile_idc`, 0 to 31.
    public var profile: UInt8
    /// The profile compatibility flags. Flag 0 is the highest bit.
    public var compatibility: UInt32
    /// The 48 bits that start with `general_progressive_source_flag`.
    public var constraints: UInt64
    /// The `general_level_idc`: thirty times the level.
    public var level: UInt8

    /// Creates a profile, tier and level.
    public init(
        profileSpace: UInt8 = 0,
        isHighTier: Bool = false,
        profile: UInt8,
        compatibility: UInt32,
        constraints: UInt64,
        level: UInt8
    ) {
        self.profileSpace = profileSpace
        self.isHighTier = isHighTier
        self.profile = profile
        self.compatibility = compatibility
        self.constraints = constraints
        self.level = level
    }

    /// Reads the general part and skips the parts of sub-layers.
    init(_ reader: inout BitReader, maximumSubLayers: Int) throws(ParseError) {
        let first = UInt8(truncatingIfNeeded: try reader.readBits(8, "profile"))
        profileSpace = first >> 6
        isHighTier = first & 0x20 != 0
        profile = first & 31
        compatibility = try reader.readBits(32, "general_profile_compatibility_flag")
        constraints = UInt64(try reader.readBits(16, "constraint flags")) << 32
        constraints |= UInt64(try reader.readBits(32, "constraint flags"))
        level = UInt8(truncatingIfNeeded: try reader.readBits(8, "general_level_idc"))
        guard maximumSubLayers > 1 else { return }
        let present = try reader.readBits(16, "sub_layer_profile_present_flag")
        for layer in 0..<maximumSubLayers - 1 {
            let flags = present >> UInt32(14 - 2 * layer)
            if flags & 2 != 0 { try reader.skip(bits: 88, "profile of a sub-layer") }
            if flags & 1 != 0 { try reader.skip(bits: 8, "sub_layer_level_idc") }
        }
    }
}
