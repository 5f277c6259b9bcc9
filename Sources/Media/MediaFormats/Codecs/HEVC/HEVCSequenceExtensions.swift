import ByteCoding

extension HEVCSequenceParameterSet {
    /// Reads VUI parameters (E.2.1).
    mutating func readUsability(_ reader: inout BitReader) throws(ParseError) {
        try usability.readPicture(&reader)
        try reader.skip(bits: 3, "neutral_chroma_indication_flag, field_seq_flag, frame_field_info_present_flag")
        if try reader.readFlag("default_display_window_flag") {
            for _ in 0..<4 { _ = try reader.readUE("def_disp_win_offset") }
        }
        if try reader.readFlag("vui_timing_info_present_flag") {
            usability.timing = try VideoUsabilityInformation.readTicks(&reader)
            if try reader.readFlag("vui_poc_proportional_to_timing_flag") {
                _ = try reader.readUE("vui_num_ticks_poc_diff_one_minus1")
            }
            if try reader.readFlag("vui_hrd_parameters_present_flag") {
                let ticks = try HEVCHypotheticalDecoder.readTicksPerPicture(&reader, subLayers: maximumSubLayers)
                usability.timing?.isFixed = ticks == 1
            }
        }
        guard try reader.readFlag("bitstream_restriction_flag") else { return }
        try reader.skip(bits: 3, "tiles_fixed_structure_flag and two more")
        minimumSpatialSegmentation = try reader.readUE("min_spatial_segmentation_idc", upTo: 4095)
        for _ in 0..<4 { _ = try reader.readUE("limit of sizes and motion vectors") }
    }

    /// The frame rate if all frames have the same duration; otherwise nil. Encoders that write no HRD parameters do not
    /// specify a fixed rate; see ``nominalFrameRate``.
    public var fixedFrameRate: FrameRate? { usability.timing?.isFixed == true ? nominalFrameRate : nil }

    /// The frame rate if each picture lasts one clock tick.
    public var nominalFrameRate: FrameRate? {
        usability.timing.map { FrameRate(frames: UInt64($0.timeScale), seconds: UInt64($0.unitsInTick)) }
    }

    /// Reads the extensions after `sps_extension_present_flag` (7.3.2.2.2, 7.3.2.2.3, Annexes F and I).
    mutating func readExtensions(_ reader: inout BitReader) throws(ParseError) {
        let hasRange = try reader.readFlag("sps_range_extension_flag")
        let hasLayers = try reader.readFlag("sps_multilayer_extension_flag")
        let hasDepth = try reader.readFlag("sps_3d_extension_flag")
        let hasScreenContent = try reader.readFlag("sps_scc_extension_flag")
        // Extensions of later editions follow the extensions that are read here.
        try reader.skip(bits: 4, "sps_extension_4bits")
        if hasRange { try reader.skip(bits: 9, "sps_range_extension") }
        if hasLayers { try reader.skip(bits: 1, "inter_view_mv_vert_constraint_flag") }
        if hasDepth {
            try reader.skip(bits: 2, "sps_3d_extension")
            _ = try reader.readUE("log2_ivmc_sub_pb_size_minus3")
            try reader.skip(bits: 7, "sps_3d_extension")
            _ = try reader.readUE("log2_texmc_sub_pb_size_minus3")
            try reader.skip(bits: 5, "sps_3d_extension")
        }
        guard hasScreenContent else { return }
        try reader.skip(bits: 1, "sps_curr_pic_ref_enabled_flag")
        if try reader.readFlag("palette_mode_enabled_flag") {
            _ = try reader.readUE("palette_max_size")
            _ = try reader.readUE("delta_palette_max_predictor_size")
            if try reader.readFlag("sps_palette_predictor_initializers_present_flag") {
                let count = 1 + (try reader.readUE("sps_num_palette_predictor_initializers_minus1", upTo: 4095))
                let bits = lumaBitDepth + (chromaFormat == 0 ? 0 : 2 * chromaBitDepth)
                try reader.skip(bits: count * bits, "sps_palette_predictor_initializer")
            }
        }
        motionVectorResolution = try reader.readInt(2, "motion_vector_resolution_control_idc")
        try reader.skip(bits: 1, "intra_boundary_filtering_disabled_flag")
    }
}

/// Hypothetical reference decoder (HRD) parameters (ITU-T H.265, E.2.2).
enum HEVCHypotheticalDecoder {
    /// Skips HRD parameters.
    ///
    /// - Returns: the duration in clock ticks of each picture in the highest sub-layer; nil if durations differ.
    static func readTicksPerPicture(_ reader: inout BitReader, subLayers: Int) throws(ParseError) -> Int? {
        let hasNAL = try reader.readFlag("nal_hrd_parameters_present_flag")
        let hasVCL = try reader.readFlag("vcl_hrd_parameters_present_flag")
        var hasSubPictures = false
        if hasNAL || hasVCL {
            hasSubPictures = try reader.readFlag("sub_pic_hrd_params_present_flag")
            if hasSubPictures { try reader.skip(bits: 19, "parameters of sub-pictures") }
            try reader.skip(bits: 8, "bit_rate_scale, cpb_size_scale")
            if hasSubPictures { try reader.skip(bits: 4, "cpb_size_du_scale") }
            try reader.skip(bits: 15, "lengths of delays")
        }
        var ticks: Int?
        for _ in 0..<subLayers {
            ticks = nil
            let isGeneral = try reader.readFlag("fixed_pic_rate_general_flag")
            let isFixed = isGeneral ? true : try reader.readFlag("fixed_pic_rate_within_cvs_flag")
            var isLowDelay = false
            if isFixed {
                ticks = 1 + (try reader.readUE("elemental_duration_in_tc_minus1", upTo: 2047))
            } else {
                isLowDelay = try reader.readFlag("low_delay_hrd_flag")
            }
            let count = isLowDelay ? 1 : 1 + (try reader.readUE("cpb_cnt_minus1", upTo: 31))
            for _ in 0..<(hasNAL ? count : 0) + (hasVCL ? count : 0) {
                for _ in 0..<(hasSubPictures ? 4 : 2) { _ = try reader.readUE("bit rate or buffer size") }
                try reader.skip(bits: 1, "cbr_flag")
            }
        }
        return ticks
    }
}
