import ByteCoding

extension HEVCSliceHeader {
    /// Reads the fields that a dependent slice segment inherits from the previous segment.
    ///
    ///     slice_reserved_flag                       u(1)   num_extra_slice_header_bits times
    ///     slice_type                                ue
    ///     pic_output_flag                           u(1)   if the picture parameter set enables it
    ///     colour_plane_id                           u(2)   with separate color planes
    ///     reference pictures                               not in IDR pictures
    ///     slice_sao_luma_flag, chroma               u(1)   with sample adaptive offset
    ///     lists, weights                                   P, B
    ///     slice_qp_delta                            se
    ///     slice_cb_qp_offset, cr                    se     ┐
    ///     slice_act_y_qp_offset, cb, cr             se     │ where the picture parameter set enables it
    ///     cu_chroma_qp_offset_enabled_flag          u(1)   │
    ///     deblocking_filter_override_flag           u(1)   ┘
    ///     slice_deblocking_filter_disabled_flag     u(1)   and two offsets (se), if it is overridden
    ///     slice_loop_filter_across_slices_enabled   u(1)   if there is a filter
    @inline(__always)
    mutating func readSlice(_ reader: inout BitReader, _ context: HEVCSliceContext) throws(ParseError) {
        let picture = context.picture
        let hasChroma = context.sequence.chromaArrayType != 0
        try reader.skip(bits: picture.extraSliceHeaderBits, "slice_reserved_flag")
        let kind = Kind(rawValue: try reader.readUE("slice_type", upTo: 2)) ?? .i
        self.kind = kind
        if picture.hasOutputFlag { try reader.skip(bits: 1, "pic_output_flag") }
        if context.sequence.hasSeparateColorPlanes { try reader.skip(bits: 2, "colour_plane_id") }
        var references = picture.refersToItself ? 1 : 0
        var predictsMotion = false
        if !nal.type.isIDR {
            references += try readReferencePictures(&reader, context)
            if context.sequence.hasTemporalPrediction {
                predictsMotion = try reader.readFlag("slice_temporal_mvp_enabled_flag")
            }
        }
        if context.sequence.hasSampleAdaptiveOffset {
            filtersLuma = try reader.readFlag("slice_sao_luma_flag")
            if hasChroma { filtersChroma = try reader.readFlag("slice_sao_chroma_flag") }
        }
        if kind != .i {
            try readPrediction(&reader, context, kind, references: references, predictsMotion: predictsMotion)
        }
        // The range is extended by 6 for each bit of bit depth above 8, at most 8 bits.
        quantizerDelta = try reader.readSE("slice_qp_delta", in: -99...99)
        if picture.hasSliceChromaOffsets {
            _ = try reader.readSE("slice_cb_qp_offset", in: -12...12)
            _ = try reader.readSE("slice_cr_qp_offset", in: -12...12)
        }
        if picture.hasSliceColorTransformOffsets {
            for _ in 0..<3 { _ = try reader.readSE("slice_act_qp_offset", in: -12...12) }
        }
        if picture.hasChromaOffsetList { try reader.skip(bits: 1, "cu_chroma_qp_offset_enabled_flag") }
        var disablesDeblocking = picture.disablesDeblocking
        if picture.allowsDeblockingOverride, try reader.readFlag("deblocking_filter_override_flag") {
            disablesDeblocking = try reader.readFlag("slice_deblocking_filter_disabled_flag")
            if !disablesDeblocking {
                _ = try reader.readSE("slice_beta_offset_div2", in: -6...6)
                _ = try reader.readSE("slice_tc_offset_div2", in: -6...6)
            }
        }
        if picture.filtersAcrossSlices, filtersLuma || filtersChroma || !disablesDeblocking {
            try reader.skip(bits: 1, "slice_loop_filter_across_slices_enabled_flag")
        }
    }

    /// Reads the picture order count and the reference picture sets.
    ///
    ///     slice_pic_order_cnt_lsb            u(v)
    ///     short_term_ref_pic_set_sps_flag    u(1)
    ///     short_term_ref_pic_set_idx         u(v)   if it is 1 and there is a choice; if it is 0, a set
    ///     num_long_term_sps                  ue     ┐ if the sequence parameter set lists any
    ///     num_long_term_pics                 ue     │ with long-term pictures
    ///     lt_idx_sps                         u(v)   │ ┐ the first ones
    ///     poc_lsb_lt                         u(v)   │ │ ┐ the rest
    ///     used_by_curr_pic_lt_flag           u(1)   │ │ ┘
    ///     delta_poc_msb_present_flag         u(1)   │ │
    ///     delta_poc_msb_cycle_lt             ue     ┘ ┘ if it is 1
    ///
    /// - Returns: the number of pictures that the current picture refers to, `NumPicTotalCurr`.
    @inline(__always)
    private mutating func readReferencePictures(
        _ reader: inout BitReader,
        _ context: HEVCSliceContext
    ) throws(ParseError) -> Int {
        pictureOrder = try reader.readInt(context.sequence.pictureOrderBits, "slice_pic_order_cnt_lsb")
        var used: Int
        if try reader.readFlag("short_term_ref_pic_set_sps_flag") {
            let index = try reader.readInt(context.setIndexBits, "short_term_ref_pic_set_idx")
            guard index < context.sequence.referencePictureSets.count else {
                throw reader.failure(
                    .invalidValue,
                    "short_term_ref_pic_set_idx",
                    "reference picture set \(index) does not exist"
                )
            }
            used = context.sequence.referencePictureSets[index].usedCount
        } else {
            used = try HEVCReferencePictureSet(
                &reader,
                index: context.sequence.referencePictureSets.count,
                sets: context.sequence.referencePictureSets,
                isInSliceHeader: true
            ).usedCount
        }
        guard context.sequence.hasLongTermPictures else { return used }
        let listed = context.sequence.longTermUsed
        let fromSequence = listed.isEmpty ? 0 : try reader.readUE("num_long_term_sps", upTo: 32)
        let count = fromSequence + (try reader.readUE("num_long_term_pics", upTo: 32))
        for index in 0..<count {
            if index < fromSequence {
                let index = try reader.readInt(context.longTermIndexBits, "lt_idx_sps")
                guard index < listed.count else {
                    throw reader.failure(.invalidValue, "lt_idx_sps", "reference picture \(index) does not exist")
                }
                used += listed[index] ? 1 : 0
            } else {
                try reader.skip(bits: context.sequence.pictureOrderBits, "poc_lsb_lt")
                used += try reader.readFlag("used_by_curr_pic_lt_flag") ? 1 : 0
            }
            if try reader.readFlag("delta_poc_msb_present_flag") { _ = try reader.readUE("delta_poc_msb_cycle_lt") }
        }
        return used
    }

    /// Reads the reference lists and weights of P and B slices.
    ///
    ///     num_ref_idx_active_override_flag    u(1)   then one or two numbers, ue
    ///     ref_pic_list_modification_flag      u(1)   ┐ each list, if the picture parameter set enables it and there
    ///                                                │ is more than one picture
    ///     list_entry                          u(v)   ┘ each entry, if it is 1
    ///     mvd_l1_zero_flag                    u(1)   B
    ///     cabac_init_flag                     u(1)   if the picture parameter set enables it
    ///     collocated_from_l0_flag             u(1)   ┐ B, with motion from another picture
    ///     collocated_ref_idx                  ue     ┘ if that list has more than one entry
    ///     pred_weight_table                          if the picture parameter set enables it
    ///     five_minus_max_num_merge_cand       ue
    ///     use_integer_mv_flag                 u(1)   screen content, if the slice specifies it
    @inline(__always)
    private func readPrediction(
        _ reader: inout BitReader,
        _ context: HEVCSliceContext,
        _ kind: Kind,
        references: Int,
        predictsMotion: Bool
    ) throws(ParseError) {
        let picture = context.picture
        var count0 = picture.defaultReferences0
        var count1 = kind == .b ? picture.defaultReferences1 : 0
        if try reader.readFlag("num_ref_idx_active_override_flag") {
            count0 = 1 + (try reader.readUE("num_ref_idx_l0_active_minus1", upTo: 14))
            if kind == .b { count1 = 1 + (try reader.readUE("num_ref_idx_l1_active_minus1", upTo: 14)) }
        }
        var itself0 = HEVCWeights.entriesForItself(picture, count0, references, isFirstList: true)
        var itself1 = HEVCWeights.entriesForItself(picture, count1, references, isFirstList: false)
        if picture.hasListModification, references > 1 {
            itself0 = try HEVCWeights.readModification(&reader, count0, references, itself0, picture)
            if kind == .b { itself1 = try HEVCWeights.readModification(&reader, count1, references, itself1, picture) }
        }
        if kind == .b { try reader.skip(bits: 1, "mvd_l1_zero_flag") }
        if picture.hasCABACInit { try reader.skip(bits: 1, "cabac_init_flag") }
        if predictsMotion {
            let isFromFirst = kind == .b ? try reader.readFlag("collocated_from_l0_flag") : true
            let count = isFromFirst ? count0 : count1
            if count > 1 { _ = try reader.readUE("collocated_ref_idx", upTo: count - 1) }
        }
        if kind == .b ? picture.hasWeightedBiprediction : picture.hasWeightedPrediction {
            try HEVCWeights.skip(
                &reader,
                counts: (count0, count1),
                itself: (itself0, itself1),
                hasChroma: context.sequence.chromaArrayType != 0
            )
        }
        _ = try reader.readUE("five_minus_max_num_merge_cand", upTo: 4)
        if context.sequence.motionVectorResolution == 2 { try reader.skip(bits: 1, "use_integer_mv_flag") }
    }
}

/// Prediction weights (ITU-T H.265, 7.3.6.3), and the list entries without weights (7.3.6.2 and 8.3.4).
///
/// With screen content coding a picture can refer to itself, and list entries for the picture itself have no weights. A
/// bit mask specifies these entries; entry 0 is bit 0.
enum HEVCWeights {
    /// Returns the entries of an unmodified list that refer to the current picture. The current picture is the last of
    /// the pictures that the list repeats. If list 0 is too short to include it, the last entry of list 0 is the
    /// current picture.
    @inline(__always)
    static func entriesForItself(
        _ picture: HEVCPictureParameterSet,
        _ count: Int,
        _ references: Int,
        isFirstList: Bool
    ) -> UInt32 {
        guard picture.refersToItself, count > 0 else { return 0 }
        var mask: UInt32 = 0
        for entry in 0..<count where entry % references == references - 1 { mask |= 1 << UInt32(entry) }
        if isFirstList, references > count { mask |= 1 << UInt32(count - 1) }
        return mask
    }

    /// Reads the modification of one list.
    ///
    /// - Returns: the entries that refer to the current picture.
    static func readModification(
        _ reader: inout BitReader,
        _ count: Int,
        _ references: Int,
        _ itself: UInt32,
        _ picture: HEVCPictureParameterSet
    ) throws(ParseError) -> UInt32 {
        guard try reader.readFlag("ref_pic_list_modification_flag") else { return itself }
        let bits = HEVCSliceContext.ceilLog2(references)
        var mask: UInt32 = 0
        for entry in 0..<count {
            let index = try reader.readInt(bits, "list_entry")
            guard index < references else {
                throw reader.failure(.invalidValue, "list_entry", "reference picture \(index) does not exist")
            }
            if picture.refersToItself, index == references - 1 { mask |= 1 << UInt32(entry) }
        }
        return mask
    }

    /// Skips a prediction weight table.
    ///
    ///     luma_log2_weight_denom           ue
    ///     delta_chroma_log2_weight_denom   se       with chroma
    ///     luma_weight_flag                 u(1)     each entry                      ┐
    ///     chroma_weight_flag               u(1)     each entry, with chroma         │ each list
    ///     luma weight, offset              se, se   each entry with luma_weight     │
    ///     2 chroma weights, offsets        se       each entry with chroma_weight   ┘
    static func skip(
        _ reader: inout BitReader,
        counts: (Int, Int),
        itself: (UInt32, UInt32),
        hasChroma: Bool
    ) throws(ParseError) {
        _ = try reader.readUE("luma_log2_weight_denom", upTo: 7)
        if hasChroma { _ = try reader.readSE("delta_chroma_log2_weight_denom", in: -7...7) }
        try skipList(&reader, counts.0, itself.0, hasChroma)
        try skipList(&reader, counts.1, itself.1, hasChroma)
    }

    private static func skipList(
        _ reader: inout BitReader,
        _ count: Int,
        _ itself: UInt32,
        _ hasChroma: Bool
    ) throws(ParseError) {
        var luma: UInt32 = 0
        var chroma: UInt32 = 0
        for entry in 0..<UInt32(count) where itself >> entry & 1 == 0 {
            if try reader.readFlag("luma_weight_flag") { luma |= 1 << entry }
        }
        if hasChroma {
            for entry in 0..<UInt32(count) where itself >> entry & 1 == 0 {
                if try reader.readFlag("chroma_weight_flag") { chroma |= 1 << entry }
            }
        }
        for entry in 0..<UInt32(count) {
            if luma >> entry & 1 == 1 {
                _ = try reader.readSE("delta_luma_weight", in: -128...127)
                // The offset has 16 bits with high_precision_offsets_enabled_flag.
                _ = try reader.readSE("luma_offset", in: -32768...32767)
            }
            if chroma >> entry & 1 == 1 {
                for _ in 0..<2 {
                    _ = try reader.readSE("delta_chroma_weight", in: -128...127)
                    _ = try reader.readSE("delta_chroma_offset", in: -131072...131071)
                }
            }
        }
    }
}
