public import ByteCoding

/// A picture parameter set of the base layer (ITU-T H.265, 7.3.2.3).
///
///     pps_pic_parameter_set_id                       ue
///     pps_seq_parameter_set_id                       ue
///     dependent_slice_segments_enabled_flag          u(1)
///     output_flag_present_flag                       u(1)
///     num_extra_slice_header_bits                    u(3)
///     sign_data_hiding_enabled_flag                  u(1)
///     cabac_init_present_flag                        u(1)
///     num_ref_idx_l0_default_active_minus1, l1       ue, ue
///     init_qp_minus26                                se
///     constrained_intra_pred_flag                    u(1)
///     transform_skip_enabled_flag                    u(1)
///     cu_qp_delta_enabled_flag                       u(1), diff_cu_qp_delta_depth ue
///     pps_cb_qp_offset, pps_cr_qp_offset             se, se
///     pps_slice_chroma_qp_offsets_present_flag       u(1)
///     weighted_pred_flag, weighted_bipred_flag       u(1), u(1)
///     transquant_bypass_enabled_flag                 u(1)
///     tiles_enabled_flag                             u(1)
///     entropy_coding_sync_enabled_flag               u(1)
///     tiles                                          if they are enabled
///     pps_loop_filter_across_slices_enabled_flag     u(1)
///     deblocking_filter_control_present_flag         u(1), then flags and offsets
///     pps_scaling_list_data_present_flag             u(1), lists
///     lists_modification_present_flag                u(1)
///     log2_parallel_merge_level_minus2               ue
///     slice_segment_header_extension_present_flag    u(1)
///     pps_extension_present_flag                     u(1), then 8 flags and extensions
public struct HEVCPictureParameterSet: Hashable, Sendable {
    /// The ID, 0 to 63.
    public var id: Int
    /// The ID of the sequence parameter set that this parameter set refers to, 0 to 15.
    public var sequenceParameterSetID: Int
    /// The `dependent_slice_segments_enabled_flag`.
    public var hasDependentSegments: Bool
    /// The `output_flag_present_flag`.
    public var hasOutputFlag: Bool
    /// The `num_extra_slice_header_bits`.
    public var extraSliceHeaderBits: Int
    /// True if the sign of a coefficient can be left out (`sign_data_hiding_enabled_flag`).
    package var hidesSigns: Bool
    /// The initial quantization parameter of slices, `26 + init_qp_minus26`.
    package var initialQuantizer: Int
    /// The `transform_skip_enabled_flag`.
    package var skipsTransforms: Bool
    /// The `diff_cu_qp_delta_depth`; nil if the quantization parameter does not change within slices.
    package var quantizerDepth: Int?
    /// The `transquant_bypass_enabled_flag`.
    package var allowsLosslessBlocks: Bool
    /// True if there are extensions, which can change the syntax of slice data.
    package var hasExtensions: Bool
    /// The `cabac_init_present_flag`.
    public var hasCABACInit: Bool
    /// The number of entries in reference list 0 for slices that do not override it.
    public var defaultReferences0: Int
    /// The number of entries in reference list 1 for slices that do not override it.
    public var defaultReferences1: Int
    /// The `pps_slice_chroma_qp_offsets_present_flag`.
    public var hasSliceChromaOffsets: Bool
    /// True if P slices contain a prediction weight table.
    public var hasWeightedPrediction: Bool
    /// True if B slices contain a prediction weight table.
    public var hasWeightedBiprediction: Bool
    /// The `tiles_enabled_flag`.
    public var hasTiles: Bool
    /// The `entropy_coding_sync_enabled_flag`: rows of blocks can be decoded in parallel.
    public var hasEntropySync: Bool
    /// The number of tile columns and tile rows.
    public var tiles = PictureSize(width: 1, height: 1)
    /// The `pps_loop_filter_across_slices_enabled_flag`.
    public var filtersAcrossSlices: Bool
    /// The `deblocking_filter_override_enabled_flag`.
    public var allowsDeblockingOverride = false
    /// The `pps_deblocking_filter_disabled_flag`.
    public var disablesDeblocking = false
    /// The `lists_modification_present_flag`.
    public var hasListModification: Bool
    /// The `slice_segment_header_extension_present_flag`.
    public var hasSliceHeaderExtension: Bool
    /// The `chroma_qp_offset_list_enabled_flag` of the range extension.
    public var hasChromaOffsetList = false
    /// The `pps_curr_pic_ref_enabled_flag` of the screen content extension: a picture can refer to itself.
    public var refersToItself = false
    /// The `pps_slice_act_qp_offsets_present_flag` of the screen content extension.
    public var hasSliceColorTransformOffsets = false

    /// Parses a picture parameter set.
    ///
    /// - Parameters:
    ///   - unit: the NAL unit, including its header and emulation prevention bytes.
    ///   - base: the offset of its first byte, for errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` if a value is outside the standard's limits;
    ///   `unsupported-codec-feature` for layers above the base layer.
    public init(_ unit: RawSpan, base: Int = 0) throws(ParseError) {
        var reader = BitReader(unit, base: base)
        try HEVCLayer.readHeader(&reader, "picture parameter set")
        id = try reader.readUE("pps_pic_parameter_set_id", upTo: 63)
        sequenceParameterSetID = try reader.readUE("pps_seq_parameter_set_id", upTo: 15)
        hasDependentSegments = try reader.readFlag("dependent_slice_segments_enabled_flag")
        hasOutputFlag = try reader.readFlag("output_flag_present_flag")
        extraSliceHeaderBits = try reader.readInt(3, "num_extra_slice_header_bits")
        hidesSigns = try reader.readFlag("sign_data_hiding_enabled_flag")
        hasCABACInit = try reader.readFlag("cabac_init_present_flag")
        defaultReferences0 = 1 + (try reader.readUE("num_ref_idx_l0_default_active_minus1", upTo: 14))
        defaultReferences1 = 1 + (try reader.readUE("num_ref_idx_l1_default_active_minus1", upTo: 14))
        initialQuantizer = 26 + (try reader.readSE("init_qp_minus26", in: -74...25))
        try reader.skip(bits: 1, "constrained_intra_pred_flag")
        skipsTransforms = try reader.readFlag("transform_skip_enabled_flag")
        if try reader.readFlag("cu_qp_delta_enabled_flag") {
            quantizerDepth = try reader.readUE("diff_cu_qp_delta_depth", upTo: 3)
        }
        _ = try reader.readSE("pps_cb_qp_offset", in: -12...12)
        _ = try reader.readSE("pps_cr_qp_offset", in: -12...12)
        hasSliceChromaOffsets = try reader.readFlag("pps_slice_chroma_qp_offsets_present_flag")
        hasWeightedPrediction = try reader.readFlag("weighted_pred_flag")
        hasWeightedBiprediction = try reader.readFlag("weighted_bipred_flag")
        allowsLosslessBlocks = try reader.readFlag("transquant_bypass_enabled_flag")
        hasTiles = try reader.readFlag("tiles_enabled_flag")
        hasEntropySync = try reader.readFlag("entropy_coding_sync_enabled_flag")
        if hasTiles { tiles = try Self.readTiles(&reader) }
        filtersAcrossSlices = try reader.readFlag("pps_loop_filter_across_slices_enabled_flag")
        if try reader.readFlag("deblocking_filter_control_present_flag") {
            allowsDeblockingOverride = try reader.readFlag("deblocking_filter_override_enabled_flag")
            disablesDeblocking = try reader.readFlag("pps_deblocking_filter_disabled_flag")
            if !disablesDeblocking {
                _ = try reader.readSE("pps_beta_offset_div2", in: -6...6)
                _ = try reader.readSE("pps_tc_offset_div2", in: -6...6)
            }
        }
        if try reader.readFlag("pps_scaling_list_data_present_flag") { try HEVCScalingLists.skip(&reader) }
        hasListModification = try reader.readFlag("lists_modification_present_flag")
        _ = try reader.readUE("log2_parallel_merge_level_minus2", upTo: 4)
        hasSliceHeaderExtension = try reader.readFlag("slice_segment_header_extension_present_flag")
        hasExtensions = try reader.readFlag("pps_extension_present_flag")
        if hasExtensions { try readExtensions(&reader) }
    }

    private static func readTiles(_ reader: inout BitReader) throws(ParseError) -> PictureSize {
        // Level 6.2 allows 40 columns and 44 rows. The limits prevent overflow.
        let columns = 1 + (try reader.readUE("num_tile_columns_minus1", upTo: 1023))
        let rows = 1 + (try reader.readUE("num_tile_rows_minus1", upTo: 1023))
        if try !reader.readFlag("uniform_spacing_flag") {
            for _ in 0..<columns + rows - 2 { _ = try reader.readUE("column_width_minus1 or row_height_minus1") }
        }
        try reader.skip(bits: 1, "loop_filter_across_tiles_enabled_flag")
        return PictureSize(width: columns, height: rows)
    }

    /// Reads the extensions after `pps_extension_present_flag`, up to the last field that slice headers depend on
    /// (7.3.2.3.2 and 7.3.2.3.3).
    private mutating func readExtensions(_ reader: inout BitReader) throws(ParseError) {
        let hasRange = try reader.readFlag("pps_range_extension_flag")
        let hasLayers = try reader.readFlag("pps_multilayer_extension_flag")
        let hasDepth = try reader.readFlag("pps_3d_extension_flag")
        let hasScreenContent = try reader.readFlag("pps_scc_extension_flag")
        try reader.skip(bits: 4, "pps_extension_4bits")
        if hasRange {
            if skipsTransforms { _ = try reader.readUE("log2_max_transform_skip_block_size_minus2", upTo: 3) }
            try reader.skip(bits: 1, "cross_component_prediction_enabled_flag")
            hasChromaOffsetList = try reader.readFlag("chroma_qp_offset_list_enabled_flag")
            if hasChromaOffsetList {
                _ = try reader.readUE("diff_cu_chroma_qp_offset_depth", upTo: 3)
                for _ in 0...(try reader.readUE("chroma_qp_offset_list_len_minus1", upTo: 5)) {
                    _ = try reader.readSE("cb_qp_offset_list", in: -12...12)
                    _ = try reader.readSE("cr_qp_offset_list", in: -12...12)
                }
            }
            _ = try reader.readUE("log2_sao_offset_scale_luma", upTo: 6)
            _ = try reader.readUE("log2_sao_offset_scale_chroma", upTo: 6)
        }
        guard hasScreenContent else { return }
        guard !hasLayers, !hasDepth else {
            throw reader.failure(
                .unsupportedCodecFeature,
                "picture parameter set",
                "a screen content extension after a multilayer or 3D extension is not supported"
            )
        }
        refersToItself = try reader.readFlag("pps_curr_pic_ref_enabled_flag")
        if try reader.readFlag("residual_adaptive_colour_transform_enabled_flag") {
            hasSliceColorTransformOffsets = try reader.readFlag("pps_slice_act_qp_offsets_present_flag")
        }
    }
}
