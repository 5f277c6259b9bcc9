public import ByteCoding

/// A video parameter set, with the fields that a base layer requires (ITU-T H.265, 7.3.2.1).
///
///     vps_video_parameter_set_id          u(4)
///     vps_base_layer_internal_flag        u(1)
///     vps_base_layer_available_flag       u(1)
///     vps_max_layers_minus1               u(6)
///     vps_max_sub_layers_minus1           u(3)
///     vps_temporal_id_nesting_flag        u(1)
///     vps_reserved_0xffff_16bits          u(16)
///     profile_tier_level
///     vps_sub_layer_ordering_info_present u(1), then 3 numbers (ue) each
///     vps_max_layer_id                    u(6)
///     vps_num_layer_sets_minus1           ue, then flags
///     vps_timing_info_present_flag        u(1)
///     vps_num_units_in_tick               u(32)  ┐ if present
///     vps_time_scale                      u(32)  ┘
public struct HEVCVideoParameterSet: Hashable, Sendable {
    /// The ID, 0 to 15.
    public var id: Int
    /// The maximum number of layers; 1 without scalable, multiview or alpha extensions.
    public var maximumLayers: Int
    /// The maximum number of temporal sub-layers, 1 to 7.
    public var maximumSubLayers: Int
    /// True if a decoder can switch to a higher temporal sub-layer at any picture (`vps_temporal_id_nesting_flag`).
    public var isTemporallyNested: Bool
    /// The profile, tier and level.
    public var profileTierLevel: HEVCProfileTierLevel
    /// The timing information, `vps_num_units_in_tick` and `vps_time_scale`; nil if absent or 0.
    public var timing: VideoUsabilityInformation.Timing?

    /// Parses a video parameter set up to its timing information.
    ///
    /// - Parameters:
    ///   - unit: the NAL unit, including its header and emulation prevention bytes.
    ///   - base: the offset of its first byte, for errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` if a value is outside the standard's limits.
    public init(_ unit: RawSpan, base: Int = 0) throws(ParseError) {
        var reader = BitReader(unit, base: base)
        try reader.skip(bits: 16, "NAL unit header")
        id = try reader.readInt(4, "vps_video_parameter_set_id")
        try reader.skip(bits: 2, "vps_base_layer_internal_flag, vps_base_layer_available_flag")
        maximumLayers = 1 + (try reader.readInt(6, "vps_max_layers_minus1"))
        maximumSubLayers = 1 + (try reader.readInt(3, "vps_max_sub_layers_minus1"))
        guard maximumSubLayers <= 7 else {
            throw reader.failure(.invalidValue, "vps_max_sub_layers_minus1", "the value 7 is out of range")
        }
        isTemporallyNested = try reader.readFlag("vps_temporal_id_nesting_flag")
        try reader.skip(bits: 16, "vps_reserved_0xffff_16bits")
        profileTierLevel = try HEVCProfileTierLevel(&reader, maximumSubLayers: maximumSubLayers)
        let ordered = try reader.readFlag("vps_sub_layer_ordering_info_present_flag")
        for _ in 0..<(ordered ? maximumSubLayers : 1) {
            for _ in 0..<3 { _ = try reader.readUE("ordering of a sub-layer") }
        }
        let layers = 1 + (try reader.readInt(6, "vps_max_layer_id"))
        let sets = try reader.readUE("vps_num_layer_sets_minus1", upTo: 1023)
        try reader.skip(bits: sets * layers, "layer_id_included_flag")
        if try reader.readFlag("vps_timing_info_present_flag") {
            timing = try VideoUsabilityInformation.readTicks(&reader)
        }
    }
}
