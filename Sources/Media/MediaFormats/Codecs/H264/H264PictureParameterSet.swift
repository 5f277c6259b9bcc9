public import ByteCoding

/// A picture parameter set (ITU-T H.264, 7.3.2.2).
///
///     pic_parameter_set_id                            ue
///     seq_parameter_set_id                            ue
///     entropy_coding_mode_flag                        u(1)
///     bottom_field_pic_order_in_frame_present_flag    u(1)
///     num_slice_groups_minus1                         ue
///     slice group map                                        if it is not 0
///     num_ref_idx_l0_default_active_minus1            ue
///     num_ref_idx_l1_default_active_minus1            ue
///     weighted_pred_flag                              u(1)
///     weighted_bipred_idc                             u(2)
///     pic_init_qp_minus26                             se
///     pic_init_qs_minus26                             se
///     chroma_qp_index_offset                          se
///     deblocking_filter_control_present_flag          u(1)
///     constrained_intra_pred_flag                     u(1)
///     redundant_pic_cnt_present_flag                  u(1)
///     transform_8x8_mode_flag                         u(1)   ┐ if there is more
///     scaling matrix                                         │
///     second_chroma_qp_index_offset                   se     ┘
public struct H264PictureParameterSet: Hashable, Sendable {
    /// The ID, 0 to 255.
    public var id: Int
    /// The ID of the sequence parameter set that this parameter set refers to, 0 to 31.
    public var sequenceParameterSetID: Int
    /// True if slices use CABAC; otherwise they use CAVLC.
    public var usesCABAC: Bool
    /// The `bottom_field_pic_order_in_frame_present_flag`.
    public var hasBottomFieldOrder: Bool
    /// The number of slice groups.
    public var sliceGroups: Int
    /// The `slice_group_map_type`; 0 if there is one slice group.
    public var sliceGroupMapType = 0
    /// The `SliceGroupChangeRate` in map units; 0 if the map does not change.
    public var sliceGroupChangeRate = 0
    /// The number of entries in reference list 0 for slices that do not override it.
    public var defaultReferences0: Int
    /// The number of entries in reference list 1 for slices that do not override it.
    public var defaultReferences1: Int
    /// True if P and SP slices contain a prediction weight table.
    public var hasWeightedPrediction: Bool
    /// The `weighted_bipred_idc`. If 1, B slices contain a prediction weight table.
    public var weightedBipredictionIDC: Int
    /// The `deblocking_filter_control_present_flag`.
    public var hasDeblockingControl: Bool
    /// The `redundant_pic_cnt_present_flag`.
    public var hasRedundantPictureCount: Bool
    /// The `transform_8x8_mode_flag`.
    public var usesTransform8x8 = false

    /// Parses a picture parameter set.
    ///
    /// - Parameters:
    ///   - unit: the NAL unit, including its header and emulation prevention bytes.
    ///   - chromaFormat: returns the `chroma_format_idc` of the sequence parameter set with an ID, or nil if it is
    ///     unknown. Only the number of scaling lists depends on it; slice headers do not depend on the fields after
    ///     these lists.
    ///   - base: the offset of its first byte, for errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` if a value is outside the standard's limits.
    public init(
        _ unit: RawSpan,
        chromaFormat: (_ sequenceParameterSetID: Int) -> Int? = { _ in nil },
        base: Int = 0
    ) throws(ParseError) {
        var reader = BitReader(unit, base: base)
        try reader.skip(bits: 8, "NAL unit header")
        id = try reader.readUE("pic_parameter_set_id", upTo: 255)
        sequenceParameterSetID = try reader.readUE("seq_parameter_set_id", upTo: 31)
        usesCABAC = try reader.readFlag("entropy_coding_mode_flag")
        hasBottomFieldOrder = try reader.readFlag("bottom_field_pic_order_in_frame_present_flag")
        sliceGroups = 1 + (try reader.readUE("num_slice_groups_minus1", upTo: 7))
        if sliceGroups > 1 {
            (sliceGroupMapType, sliceGroupChangeRate) = try Self.readSliceGroups(&reader, groups: sliceGroups)
        }
        defaultReferences0 = 1 + (try reader.readUE("num_ref_idx_l0_default_active_minus1", upTo: 31))
        defaultReferences1 = 1 + (try reader.readUE("num_ref_idx_l1_default_active_minus1", upTo: 31))
        hasWeightedPrediction = try reader.readFlag("weighted_pred_flag")
        weightedBipredictionIDC = try reader.readInt(2, "weighted_bipred_idc")
        // The range is extended by 6 for each bit of bit depth above 8, at most 6 bits.
        _ = try reader.readSE("pic_init_qp_minus26", in: -62...25)
        _ = try reader.readSE("pic_init_qs_minus26", in: -26...25)
        _ = try reader.readSE("chroma_qp_index_offset", in: -12...12)
        hasDeblockingControl = try reader.readFlag("deblocking_filter_control_present_flag")
        try reader.skip(bits: 1, "constrained_intra_pred_flag")
        hasRedundantPictureCount = try reader.readFlag("redundant_pic_cnt_present_flag")
        guard reader.hasMoreData else { return }
        usesTransform8x8 = try reader.readFlag("transform_8x8_mode_flag")
        if try reader.readFlag("pic_scaling_matrix_present_flag") {
            guard let chromaFormat = chromaFormat(sequenceParameterSetID) else { return }
            try H264ScalingMatrix.skip(&reader, lists: 6 + (usesTransform8x8 ? (chromaFormat == 3 ? 6 : 2) : 0))
        }
        _ = try reader.readSE("second_chroma_qp_index_offset", in: -12...12)
    }

    /// Reads the slice group map and returns its type and its change rate.
    private static func readSliceGroups(_ reader: inout BitReader, groups: Int) throws(ParseError) -> (Int, Int) {
        let type = try reader.readUE("slice_group_map_type", upTo: 6)
        var rate = 0
        switch type {
        case 0:
            for _ in 0..<groups { _ = try reader.readUE("run_length_minus1") }
        case 2:
            for _ in 0..<groups - 1 {
                _ = try reader.readUE("top_left")
                _ = try reader.readUE("bottom_right")
            }
        case 3...5:
            guard groups == 2 else {
                throw reader.failure(
                    .invalidValue,
                    "slice_group_map_type",
                    "type \(type) requires 2 slice groups, found \(groups)"
                )
            }
            try reader.skip(bits: 1, "slice_group_change_direction_flag")
            rate = 1 + (try reader.readUE("slice_group_change_rate_minus1", upTo: 4096 * 4096))
        case 6:
            let count = 1 + (try reader.readUE("pic_size_in_map_units_minus1", upTo: 4096 * 4096))
            let bits = groups > 4 ? 3 : groups > 2 ? 2 : 1
            try reader.skip(bits: count * bits, "slice_group_id")
        default: break
        }
        return (type, rate)
    }
}
