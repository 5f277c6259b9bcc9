public import ByteCoding

/// A sequence parameter set (ITU-T H.264, 7.3.2.1.1).
///
///     profile_idc                           u(8)
///     constraint flags, 2 zero bits         u(8)
///     level_idc                             u(8)
///     seq_parameter_set_id                  ue
///     chroma_format_idc                     ue     ┐
///     separate_colour_plane_flag            u(1)   │ if chroma_format_idc is 3
///     bit_depth_luma_minus8                 ue     │ in profiles from High on
///     bit_depth_chroma_minus8               ue     │
///     qpprime_y_zero_transform_bypass_flag  u(1)   │
///     scaling matrix                               ┘
///     log2_max_frame_num_minus4             ue
///     pic_order_cnt_type                    ue
///     log2_max_pic_order_cnt_lsb_minus4     ue     if the type is 0
///     cycle of offsets                             if the type is 1
///     max_num_ref_frames                    ue
///     gaps_in_frame_num_value_allowed_flag  u(1)
///     pic_width_in_mbs_minus1               ue
///     pic_height_in_map_units_minus1        ue
///     frame_mbs_only_flag                   u(1)
///     mb_adaptive_frame_field_flag          u(1)   if fields occur
///     direct_8x8_inference_flag             u(1)
///     frame_cropping_flag                   u(1)   and 4 offsets, ue
///     vui_parameters_present_flag           u(1)
public struct H264SequenceParameterSet: Hashable, Sendable {
    /// The `profile_idc`.
    public var profile: UInt8
    /// The byte between profile and level. Its highest bit is `constraint_set0_flag`.
    public var constraints: UInt8
    /// The `level_idc`: ten times the level.
    public var level: UInt8
    /// The ID, 0 to 31.
    public var id: Int
    /// The `chroma_format_idc`: 0 is monochrome, 1 is 4:2:0, 2 is 4:2:2, 3 is 4:4:4.
    public var chromaFormat = 1
    /// True if the three color planes are coded separately.
    public var hasSeparateColorPlanes = false
    /// The bit depth of luma samples.
    public var lumaBitDepth = 8
    /// The bit depth of chroma samples.
    public var chromaBitDepth = 8
    /// The size of `frame_num` in bits.
    public var frameNumberBits: Int
    /// The `pic_order_cnt_type`.
    public var pictureOrderType: Int
    /// The size of `pic_order_cnt_lsb` in bits; 0 unless the picture order count type is 0.
    public var pictureOrderBits = 0
    /// The `delta_pic_order_always_zero_flag`.
    public var deltaPictureOrderIsZero = false
    /// The `max_num_ref_frames`.
    public var referenceFrames: Int
    /// The width of the picture in macroblocks.
    public var widthInMacroblocks: Int
    /// The height of the picture in map units: macroblocks, or pairs of macroblocks if fields are allowed.
    public var heightInMapUnits: Int
    /// True if all pictures are frames (`frame_mbs_only_flag`).
    public var hasFramesOnly: Bool
    /// True if frames can mix frame and field macroblocks (`mb_adaptive_frame_field_flag`).
    public var isMacroblockAdaptive = false
    /// The size of the coded picture in luma samples.
    public var codedSize: PictureSize
    /// The size of the picture after cropping, in luma samples.
    public var croppedSize: PictureSize
    /// The video usability information (VUI).
    public var usability = VideoUsabilityInformation()

    /// The `ChromaArrayType`: the chroma format, or 0 with separate color planes.
    var chromaArrayType: Int { hasSeparateColorPlanes ? 0 : chromaFormat }

    /// The display size in square pixels.
    public var displaySize: PictureSize { croppedSize.displayed(usability.sampleAspectRatio) }

    /// The frame rate if all frames have the same duration; otherwise nil.
    public var fixedFrameRate: FrameRate? {
        guard let timing = usability.timing, timing.isFixed else { return nil }
        return FrameRate(frames: UInt64(timing.timeScale), seconds: 2 * UInt64(timing.unitsInTick))
    }

    private static let highProfiles: Set<UInt8> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    /// Parses a sequence parameter set.
    ///
    /// - Parameters:
    ///   - unit: the NAL unit, including its header and emulation prevention bytes.
    ///   - base: the offset of its first byte, for errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` if a value is outside the standard's limits.
    public init(_ unit: RawSpan, base: Int = 0) throws(ParseError) {
        var reader = BitReader(unit, base: base)
        try reader.skip(bits: 8, "NAL unit header")
        profile = UInt8(truncatingIfNeeded: try reader.readBits(8, "profile_idc"))
        constraints = UInt8(truncatingIfNeeded: try reader.readBits(8, "constraint flags"))
        level = UInt8(truncatingIfNeeded: try reader.readBits(8, "level_idc"))
        id = try reader.readUE("seq_parameter_set_id", upTo: 31)
        if Self.highProfiles.contains(profile) {
            chromaFormat = try reader.readUE("chroma_format_idc", upTo: 3)
            if chromaFormat == 3 { hasSeparateColorPlanes = try reader.readFlag("separate_colour_plane_flag") }
            lumaBitDepth = 8 + (try reader.readUE("bit_depth_luma_minus8", upTo: 6))
            chromaBitDepth = 8 + (try reader.readUE("bit_depth_chroma_minus8", upTo: 6))
            try reader.skip(bits: 1, "qpprime_y_zero_transform_bypass_flag")
            if try reader.readFlag("seq_scaling_matrix_present_flag") {
                try H264ScalingMatrix.skip(&reader, lists: chromaFormat == 3 ? 12 : 8)
            }
        }
        frameNumberBits = 4 + (try reader.readUE("log2_max_frame_num_minus4", upTo: 12))
        pictureOrderType = try reader.readUE("pic_order_cnt_type", upTo: 2)
        if pictureOrderType == 0 {
            pictureOrderBits = 4 + (try reader.readUE("log2_max_pic_order_cnt_lsb_minus4", upTo: 12))
        } else if pictureOrderType == 1 {
            deltaPictureOrderIsZero = try reader.readFlag("delta_pic_order_always_zero_flag")
            _ = try reader.readSE("offset_for_non_ref_pic")
            _ = try reader.readSE("offset_for_top_to_bottom_field")
            let count = try reader.readUE("num_ref_frames_in_pic_order_cnt_cycle", upTo: 255)
            for _ in 0..<count { _ = try reader.readSE("offset_for_ref_frame") }
        }
        referenceFrames = try reader.readUE("max_num_ref_frames", upTo: 16)
        try reader.skip(bits: 1, "gaps_in_frame_num_value_allowed_flag")
        // Level 6.2 allows at most 1055 (A.3.1). The limit prevents overflow.
        widthInMacroblocks = 1 + (try reader.readUE("pic_width_in_mbs_minus1", upTo: 4095))
        heightInMapUnits = 1 + (try reader.readUE("pic_height_in_map_units_minus1", upTo: 4095))
        hasFramesOnly = try reader.readFlag("frame_mbs_only_flag")
        if !hasFramesOnly { isMacroblockAdaptive = try reader.readFlag("mb_adaptive_frame_field_flag") }
        try reader.skip(bits: 1, "direct_8x8_inference_flag")
        codedSize = PictureSize(
            width: widthInMacroblocks * 16,
            height: heightInMapUnits * (hasFramesOnly ? 16 : 32)
        )
        croppedSize = codedSize
        if try reader.readFlag("frame_cropping_flag") { try readCropping(&reader) }
        if try reader.readFlag("vui_parameters_present_flag") { try readUsability(&reader) }
    }

    /// Reads the four cropping offsets, in the units of Table 6-1.
    private mutating func readCropping(_ reader: inout BitReader) throws(ParseError) {
        let unitWidth = chromaArrayType == 1 || chromaArrayType == 2 ? 2 : 1
        let unitHeight = (chromaArrayType == 1 ? 2 : 1) * (hasFramesOnly ? 1 : 2)
        let left = try reader.readUE("frame_crop_left_offset", upTo: 65535)
        let right = try reader.readUE("frame_crop_right_offset", upTo: 65535)
        let top = try reader.readUE("frame_crop_top_offset", upTo: 65535)
        let bottom = try reader.readUE("frame_crop_bottom_offset", upTo: 65535)
        croppedSize.width -= (left + right) * unitWidth
        croppedSize.height -= (top + bottom) * unitHeight
        guard croppedSize.width > 0, croppedSize.height > 0 else {
            throw reader.failure(.invalidValue, "frame cropping", "no part of the picture remains after cropping")
        }
    }

    /// Reads VUI parameters (E.1.1).
    private mutating func readUsability(_ reader: inout BitReader) throws(ParseError) {
        try usability.readPicture(&reader)
        if try reader.readFlag("timing_info_present_flag") {
            usability.timing = try VideoUsabilityInformation.readTicks(&reader)
            usability.timing?.isFixed = try reader.readFlag("fixed_frame_rate_flag")
        }
        let nal = try reader.readFlag("nal_hrd_parameters_present_flag")
        if nal { try Self.skipHypotheticalDecoder(&reader) }
        let vcl = try reader.readFlag("vcl_hrd_parameters_present_flag")
        if vcl { try Self.skipHypotheticalDecoder(&reader) }
        if nal || vcl { try reader.skip(bits: 1, "low_delay_hrd_flag") }
        try reader.skip(bits: 1, "pic_struct_present_flag")
        guard try reader.readFlag("bitstream_restriction_flag") else { return }
        try reader.skip(bits: 1, "motion_vectors_over_pic_boundaries_flag")
        _ = try reader.readUE("max_bytes_per_pic_denom")
        _ = try reader.readUE("max_bits_per_mb_denom")
        _ = try reader.readUE("log2_max_mv_length_horizontal")
        _ = try reader.readUE("log2_max_mv_length_vertical")
        usability.reorderFrames = try reader.readUE("max_num_reorder_frames", upTo: 16)
        _ = try reader.readUE("max_dec_frame_buffering")
    }

    /// Skips HRD parameters (E.1.2).
    private static func skipHypotheticalDecoder(_ reader: inout BitReader) throws(ParseError) {
        let count = 1 + (try reader.readUE("cpb_cnt_minus1", upTo: 31))
        try reader.skip(bits: 8, "bit_rate_scale and cpb_size_scale")
        for _ in 0..<count {
            _ = try reader.readUE("bit_rate_value_minus1")
            _ = try reader.readUE("cpb_size_value_minus1")
            try reader.skip(bits: 1, "cbr_flag")
        }
        try reader.skip(bits: 20, "lengths of delays")
    }
}

/// Scaling lists (ITU-T H.264, 7.3.2.1.1.1), which are only skipped.
enum H264ScalingMatrix {
    /// Skips the lists. The first 6 have 16 numbers, the others 64.
    static func skip(_ reader: inout BitReader, lists: Int) throws(ParseError) {
        for list in 0..<lists where try reader.readFlag("scaling_list_present_flag") {
            var last = 8
            var next = 8
            for _ in 0..<(list < 6 ? 16 : 64) where next != 0 {
                next = (last + (try reader.readSE("delta_scale", in: -128...127)) + 256) % 256
                if next != 0 { last = next }
            }
        }
    }
}
