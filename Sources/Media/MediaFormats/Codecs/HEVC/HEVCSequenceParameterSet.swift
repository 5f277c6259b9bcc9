public import ByteCoding

/// A sequence parameter set of the base layer (ITU-T H.265, 7.3.2.2).
///
///     sps_video_parameter_set_id                u(4)
///     sps_max_sub_layers_minus1                 u(3)
///     sps_temporal_id_nesting_flag              u(1)
///     profile_tier_level
///     sps_seq_parameter_set_id                  ue
///     chroma_format_idc                         ue
///     separate_colour_plane_flag                u(1)   if it is 3
///     pic_width_in_luma_samples                 ue
///     pic_height_in_luma_samples                ue
///     conformance_window_flag                   u(1), then 4 offsets (ue)
///     bit_depth_luma_minus8, chroma             ue, ue
///     log2_max_pic_order_cnt_lsb_minus4         ue
///     sps_sub_layer_ordering_info_present_flag  u(1), then 3 numbers (ue) each
///     sizes of blocks                           6 × ue
///     scaling_list_enabled_flag                 u(1), sps_scaling_list_data_present_flag u(1), lists
///     amp_enabled_flag                          u(1)
///     sample_adaptive_offset_enabled_flag       u(1)
///     pcm_enabled_flag                          u(1), then 4, 4, ue, ue, 1
///     num_short_term_ref_pic_sets               ue, then the sets
///     long_term_ref_pics_present_flag           u(1), num_long_term_ref_pics_sps ue, then u(v) and u(1) each
///     sps_temporal_mvp_enabled_flag             u(1)
///     strong_intra_smoothing_enabled_flag       u(1)
///     vui_parameters_present_flag               u(1), then VUI
///     sps_extension_present_flag                u(1), then 8 flags and extensions
public struct HEVCSequenceParameterSet: Hashable, Sendable {
    /// The ID of the video parameter set.
    public var videoParameterSetID: Int
    /// The maximum number of temporal sub-layers, 1 to 7.
    public var maximumSubLayers: Int
    /// True if a decoder can switch to a higher temporal sub-layer at any picture (`sps_temporal_id_nesting_flag`).
    public var isTemporallyNested: Bool
    /// The profile, tier and level.
    public var profileTierLevel: HEVCProfileTierLevel
    /// The ID, 0 to 15.
    public var id: Int
    /// The `chroma_format_idc`: 0 is monochrome, 1 is 4:2:0, 2 is 4:2:2, 3 is 4:4:4.
    public var chromaFormat: Int
    /// True if the three color planes are coded separately.
    public var hasSeparateColorPlanes = false
    /// The size of the coded picture in luma samples.
    public var codedSize: PictureSize
    /// The size of the conformance window in luma samples.
    public var croppedSize: PictureSize
    /// The bit depth of luma samples.
    public var lumaBitDepth: Int
    /// The bit depth of chroma samples.
    public var chromaBitDepth: Int
    /// The size of `slice_pic_order_cnt_lsb` in bits.
    public var pictureOrderBits: Int
    /// The maximum number of pictures that precede a picture in decoding order and follow it in output order, in the
    /// highest sub-layer (`sps_max_num_reorder_pics`).
    public var reorderPictures: Int
    /// The size of the picture in coding tree blocks.
    public var sizeInTreeBlocks: PictureSize
    /// The `sample_adaptive_offset_enabled_flag`.
    public var hasSampleAdaptiveOffset: Bool
    /// The `long_term_ref_pics_present_flag`.
    public var hasLongTermPictures: Bool
    /// The `sps_temporal_mvp_enabled_flag`.
    public var hasTemporalPrediction: Bool
    /// The video usability information (VUI).
    public var usability = VideoUsabilityInformation()
    /// The `min_spatial_segmentation_idc`, which `hvcC` repeats.
    public var minimumSpatialSegmentation = 0
    /// The `motion_vector_resolution_control_idc` of the screen content extension.
    public var motionVectorResolution = 0
    /// The sizes of blocks as base-2 logarithms, and the depth of intra transform trees.
    package var blocks = HEVCBlockSizes()
    /// True if blocks can be coded as samples (`pcm_enabled_flag`).
    package var hasSampleBlocks = false
    /// True if there are extensions, which can change the syntax of slice data.
    package var hasExtensions = false
    /// The short-term reference picture sets.
    var referencePictureSets: [HEVCReferencePictureSet] = []
    /// The `used_by_curr_pic_lt_sps_flag` of each long-term picture.
    var longTermUsed: [Bool] = []

    /// The `ChromaArrayType`: the chroma format, or 0 with separate color planes.
    package var chromaArrayType: Int { hasSeparateColorPlanes ? 0 : chromaFormat }

    /// The display size in square pixels.
    public var displaySize: PictureSize { croppedSize.displayed(usability.sampleAspectRatio) }

    /// Parses a sequence parameter set.
    ///
    /// - Parameters:
    ///   - unit: the NAL unit, including its header and emulation prevention bytes.
    ///   - base: the offset of its first byte, for errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` if a value is outside the standard's limits;
    ///   `unsupported-codec-feature` for layers above the base layer.
    public init(_ unit: RawSpan, base: Int = 0) throws(ParseError) {
        var reader = BitReader(unit, base: base)
        try HEVCLayer.readHeader(&reader, "sequence parameter set")
        videoParameterSetID = try reader.readInt(4, "sps_video_parameter_set_id")
        maximumSubLayers = 1 + (try reader.readInt(3, "sps_max_sub_layers_minus1"))
        guard maximumSubLayers <= 7 else {
            throw reader.failure(.invalidValue, "sps_max_sub_layers_minus1", "the value 7 is out of range")
        }
        isTemporallyNested = try reader.readFlag("sps_temporal_id_nesting_flag")
        profileTierLevel = try HEVCProfileTierLevel(&reader, maximumSubLayers: maximumSubLayers)
        id = try reader.readUE("sps_seq_parameter_set_id", upTo: 15)
        chromaFormat = try reader.readUE("chroma_format_idc", upTo: 3)
        if chromaFormat == 3 { hasSeparateColorPlanes = try reader.readFlag("separate_colour_plane_flag") }
        // Level 6.2 allows at most 16888 (A.4.1).
        let width = try reader.readUE("pic_width_in_luma_samples", upTo: 65535)
        let height = try reader.readUE("pic_height_in_luma_samples", upTo: 65535)
        codedSize = PictureSize(width: width, height: height)
        croppedSize = codedSize
        if try reader.readFlag("conformance_window_flag") {
            let unitWidth = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
            let unitHeight = chromaFormat == 1 ? 2 : 1
            for index in 0..<4 {
                let offset = try reader.readUE("conf_win_offset", upTo: 65535)
                if index < 2 {
                    croppedSize.width -= offset * unitWidth
                } else {
                    croppedSize.height -= offset * unitHeight
                }
            }
        }
        guard croppedSize.width > 0, croppedSize.height > 0 else {
            throw reader.failure(.invalidValue, "size of the picture", "no part of the picture remains after cropping")
        }
        lumaBitDepth = 8 + (try reader.readUE("bit_depth_luma_minus8", upTo: 8))
        chromaBitDepth = 8 + (try reader.readUE("bit_depth_chroma_minus8", upTo: 8))
        pictureOrderBits = 4 + (try reader.readUE("log2_max_pic_order_cnt_lsb_minus4", upTo: 12))
        reorderPictures = 0
        let isOrdered = try reader.readFlag("sps_sub_layer_ordering_info_present_flag")
        for _ in 0..<(isOrdered ? maximumSubLayers : 1) {
            _ = try reader.readUE("sps_max_dec_pic_buffering_minus1", upTo: 15)
            reorderPictures = try reader.readUE("sps_max_num_reorder_pics", upTo: 15)
            _ = try reader.readUE("sps_max_latency_increase_plus1")
        }
        let minimumBits = 3 + (try reader.readUE("log2_min_luma_coding_block_size_minus3", upTo: 3))
        let treeBits = minimumBits + (try reader.readUE("log2_diff_max_min_luma_coding_block_size", upTo: 3))
        guard treeBits <= 6 else {
            throw reader.failure(
                .invalidValue,
                "size of coding tree blocks",
                "the size is 2^\(treeBits), must be at most 2^6"
            )
        }
        sizeInTreeBlocks = PictureSize(
            width: (width + 1 << treeBits - 1) >> treeBits,
            height: (height + 1 << treeBits - 1) >> treeBits
        )
        (blocks.minimumCodingBits, blocks.treeBits) = (minimumBits, treeBits)
        blocks.minimumTransformBits = 2 + (try reader.readUE("log2_min_luma_transform_block_size_minus2", upTo: 3))
        blocks.maximumTransformBits =
            blocks.minimumTransformBits
            + (try reader.readUE("log2_diff_max_min_luma_transform_block_size", upTo: 3))
        _ = try reader.readUE("max_transform_hierarchy_depth_inter", upTo: 4)
        blocks.intraTransformDepth = try reader.readUE("max_transform_hierarchy_depth_intra", upTo: 4)
        if try reader.readFlag("scaling_list_enabled_flag"), try reader.readFlag("sps_scaling_list_data_present_flag") {
            try HEVCScalingLists.skip(&reader)
        }
        try reader.skip(bits: 1, "amp_enabled_flag")
        hasSampleAdaptiveOffset = try reader.readFlag("sample_adaptive_offset_enabled_flag")
        hasSampleBlocks = try reader.readFlag("pcm_enabled_flag")
        if hasSampleBlocks {
            try reader.skip(bits: 8, "pcm_sample_bit_depth")
            _ = try reader.readUE("log2_min_pcm_luma_coding_block_size_minus3", upTo: 2)
            _ = try reader.readUE("log2_diff_max_min_pcm_luma_coding_block_size", upTo: 2)
            try reader.skip(bits: 1, "pcm_loop_filter_disabled_flag")
        }
        let sets = try reader.readUE("num_short_term_ref_pic_sets", upTo: 64)
        for index in 0..<sets {
            let set = try HEVCReferencePictureSet(
                &reader,
                index: index,
                sets: referencePictureSets,
                isInSliceHeader: false
            )
            referencePictureSets.append(set)
        }
        hasLongTermPictures = try reader.readFlag("long_term_ref_pics_present_flag")
        if hasLongTermPictures {
            for _ in 0..<(try reader.readUE("num_long_term_ref_pics_sps", upTo: 32)) {
                try reader.skip(bits: pictureOrderBits, "lt_ref_pic_poc_lsb_sps")
                longTermUsed.append(try reader.readFlag("used_by_curr_pic_lt_sps_flag"))
            }
        }
        hasTemporalPrediction = try reader.readFlag("sps_temporal_mvp_enabled_flag")
        try reader.skip(bits: 1, "strong_intra_smoothing_enabled_flag")
        if try reader.readFlag("vui_parameters_present_flag") { try readUsability(&reader) }
        hasExtensions = try reader.readFlag("sps_extension_present_flag")
        if hasExtensions { try readExtensions(&reader) }
    }
}

/// The sizes of the blocks of a sequence, as base-2 logarithms of the number of luma samples.
package struct HEVCBlockSizes: Hashable, Sendable {
    /// The size of the smallest coding blocks, 3 to 6.
    package var minimumCodingBits = 3
    /// The size of coding tree blocks, 3 to 6.
    package var treeBits = 3
    /// The size of the smallest transform blocks, 2 to 5.
    package var minimumTransformBits = 2
    /// The size of the largest transform blocks.
    package var maximumTransformBits = 2
    /// The `max_transform_hierarchy_depth_intra`.
    package var intraTransformDepth = 0
}

/// The layer check that all parameter sets and slices share: only the base layer is supported.
enum HEVCLayer {
    /// Reads the header of a NAL unit.
    ///
    /// - Throws: `ParseError` `unsupported-codec-feature` if its layer is not the base layer.
    @inline(__always)
    @discardableResult
    static func readHeader(_ reader: inout BitReader, _ structure: String) throws(ParseError) -> HEVCNALHeader {
        let header = HEVCNALHeader(rawValue: UInt16(truncatingIfNeeded: try reader.readBits(16, "NAL unit header")))
        guard header.layer == 0 else {
            throw reader.failure(
                .unsupportedCodecFeature,
                structure,
                "layer \(header.layer) is not supported, only the base layer"
            )
        }
        return header
    }
}

/// Scaling lists (ITU-T H.265, 7.3.4), which are only skipped.
enum HEVCScalingLists {
    /// Skips the lists: 6 matrices in each of 3 sizes, 2 in the largest size.
    static func skip(_ reader: inout BitReader) throws(ParseError) {
        for size in 0..<4 {
            for _ in 0..<(size == 3 ? 2 : 6) {
                guard try reader.readFlag("scaling_list_pred_mode_flag") else {
                    _ = try reader.readUE("scaling_list_pred_matrix_id_delta", upTo: 5)
                    continue
                }
                if size > 1 { _ = try reader.readSE("scaling_list_dc_coef_minus8", in: -7...247) }
                for _ in 0..<min(64, 1 << (4 + size * 2)) {
                    _ = try reader.readSE("scaling_list_delta_coef", in: -128...127)
                }
            }
        }
    }
}
