import ByteCoding

/// The parts of a slice header about reference pictures (ITU-T H.264, 7.3.3.1 to 7.3.3.3). They are only skipped.
///
/// Their loops end at a value in the stream. Each iteration reads bits, so the loops end with the NAL unit at the
/// latest. The iteration limits are those of the standard.
enum H264ReferenceSyntax {
    /// Skips `ref_pic_list_modification` for one list.
    ///
    ///     ref_pic_list_modification_flag    u(1)
    ///     modification_of_pic_nums_idc      ue   ┐ 0, 1: a difference; 2: a long-term number; 3: end
    ///     number                            ue   ┘
    static func skipListModification(_ reader: inout BitReader) throws(ParseError) {
        guard try reader.readFlag("ref_pic_list_modification_flag") else { return }
        for _ in 0...32 {
            if try reader.readUE("modification_of_pic_nums_idc", upTo: 3) == 3 { return }
            _ = try reader.readUE("picture number")
        }
        throw reader.failure(.invalidValue, "ref_pic_list_modification", "the list has more than 32 entries")
    }

    /// Skips `pred_weight_table`.
    ///
    ///     luma_log2_weight_denom        ue
    ///     chroma_log2_weight_denom      ue       with chroma
    ///     luma_weight_flag              u(1)     ┐
    ///     luma weight, offset           se, se   │ each entry of each list
    ///     chroma_weight_flag            u(1)     │ with chroma
    ///     2 chroma weights, offsets     se       ┘
    static func skipWeights(
        _ reader: inout BitReader,
        counts: (Int, Int),
        hasChroma: Bool
    ) throws(ParseError) {
        _ = try reader.readUE("luma_log2_weight_denom", upTo: 7)
        if hasChroma { _ = try reader.readUE("chroma_log2_weight_denom", upTo: 7) }
        for _ in 0..<counts.0 + counts.1 {
            if try reader.readFlag("luma_weight_flag") {
                _ = try reader.readSE("luma_weight", in: -128...127)
                _ = try reader.readSE("luma_offset", in: -128...127)
            }
            if hasChroma, try reader.readFlag("chroma_weight_flag") {
                for _ in 0..<4 { _ = try reader.readSE("chroma weight or offset", in: -128...127) }
            }
        }
    }

    /// Skips `dec_ref_pic_marking`.
    ///
    ///     no_output_of_prior_pics_flag           u(1)   ┐ in an IDR picture
    ///     long_term_reference_flag               u(1)   ┘
    ///     adaptive_ref_pic_marking_mode_flag     u(1)   otherwise, and then operations:
    ///     memory_management_control_operation    ue     0: end; 1, 2, 4, 6: one number; 3: two; 5: none
    static func skipMarking(_ reader: inout BitReader, isIDR: Bool) throws(ParseError) {
        if isIDR { return try reader.skip(bits: 2, "no_output_of_prior_pics_flag, long_term_reference_flag") }
        guard try reader.readFlag("adaptive_ref_pic_marking_mode_flag") else { return }
        for _ in 0...66 {
            switch try reader.readUE("memory_management_control_operation", upTo: 6) {
            case 0: return
            case 3:
                _ = try reader.readUE("difference_of_pic_nums_minus1")
                _ = try reader.readUE("long_term_frame_idx")
            case 5: break
            default: _ = try reader.readUE("number of a memory management control operation")
            }
        }
        throw reader.failure(.invalidValue, "dec_ref_pic_marking", "the list has more than 66 operations")
    }
}
