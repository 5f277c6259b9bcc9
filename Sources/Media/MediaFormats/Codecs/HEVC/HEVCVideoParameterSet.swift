public import ByteCoding

/// A video parameter set, as far as a base layer needs it (ITU-T H.265, 7.3.2.1).
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
///     vps_num_units_in_tick               u(32)  ┐ if it is there
///     vps_time_scale                      u(32)  ┘
public struct HEVCVideoParameterSet: Hashable, Sendable {
    /// The ID, 0 to 15.
    public var id: Int
    /// How many layers there can be; 1 without scalable, multiview or alpha extensions.
    public var maximumLayers: Int
    /// How many temporal sub-layers there can be, 1 to 7.
    public var maximumSubLayers: Int
    /// Whether one can switch up to a higher temporal sub-layer anywhere.
    public var isTemporallyNested: Bool
    /// What a decoder must be able to do.
    public var profileTierLevel: HEVCProfileTierLevel
    /// Units and time scale; nil when absent.
    public var timing: VideoUsabilityInformation.Timing?

    /// Reads a parameter set up to its timing.
    ///
    /// - Parameters:
    ///   - unit: The NAL unit, header included, emulation prevention bytes in place.
    ///   - base: What its first byte counts as in errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` for a value beyond the standard's limits.
    public init(_ unit: RawSpan, base: Int = 0) throws(ParseError) {
        var reader = BitReader(unit, base: base)
        try reader.skip(bits: 16, "NAL unit header")
        id = try reader.readInt(4, "vps_video_parameter_set_id")
        try reader.skip(bits: 2, "vps_base_layer_internal_flag, vps_base_layer_available_flag")
        maximumLayers = 1 + (try reader.readInt(6, "vps_max_layers_minus1"))
        maximumSubLayers = 1 + (try reader.readInt(3, "vps_max_sub_layers_minus1"))
        guard maximumSubLayers <= 7 else { throw reader.failure(.invalidValue, "vps_max_sub_layers_minus1", "7") }
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
