public import ByteCoding

/// A slice header (ITU-T H.264, 7.3.3), parsed to its end.
///
///     first_mb_in_slice               ue
///     slice_type                      ue
///     pic_parameter_set_id            ue
///     colour_plane_id                 u(2)   with separate color planes
///     frame_num                       u(v)
///     field_pic_flag                  u(1)   ┐ where fields occur
///     bottom_field_flag               u(1)   ┘ if it is a field
///     idr_pic_id                      ue     in an IDR picture
///     pic_order_cnt_lsb               u(v)   ┐ type 0
///     delta_pic_order_cnt_bottom      se     ┘ in a frame, if the picture parameter set enables it
///     delta_pic_order_cnt             se     type 1: none, one or two
///     redundant_pic_cnt               ue     if the picture parameter set enables it
///     direct_spatial_mv_pred_flag     u(1)   B
///     num_ref_idx_active_override     u(1)   P, SP, B: then one or two numbers, ue
///     ref_pic_list_modification              not I, SI
///     pred_weight_table                      if the picture parameter set enables it
///     dec_ref_pic_marking                    if others refer to the picture
///     cabac_init_idc                  ue     CABAC, not I, SI
///     slice_qp_delta                  se
///     sp_for_switch_flag              u(1)   SP
///     slice_qs_delta                  se     SP, SI
///     disable_deblocking_filter_idc   ue     ┐ if the picture parameter set enables it
///     two offsets                     se     ┘ unless it is 1
///     slice_group_change_cycle        u(v)   slice groups of type 3 to 5
public struct H264SliceHeader: Hashable, Sendable {
    /// The type of a slice.
    public enum Kind: Int, Hashable, Sendable {
        /// A slice predicted from one reference list.
        case p
        /// A slice predicted from two reference lists.
        case b
        /// A slice without inter prediction.
        case i
        /// A P slice for switching between streams.
        case sp
        /// An I slice for switching between streams.
        case si
    }

    /// The NAL unit header.
    public var nal: H264NALHeader
    /// The address of the first macroblock or macroblock pair; usually 0 in the first slice of a picture.
    public var firstMacroblock: Int
    /// The type of the slice.
    public var kind: Kind
    /// The ID of the picture parameter set.
    public var pictureParameterSetID: Int
    /// The `frame_num`.
    public var frameNumber: Int
    /// True if the picture is a field.
    public var isField = false
    /// True if the picture is a bottom field.
    public var isBottomField = false
    /// The `idr_pic_id`; 0 unless the picture is an IDR picture.
    public var idrPictureID = 0
    /// The `pic_order_cnt_lsb`.
    public var pictureOrder = 0
    /// The `delta_pic_order_cnt_bottom`.
    public var bottomFieldOrderDelta = 0
    /// The `delta_pic_order_cnt[0]`.
    public var orderDelta0 = 0
    /// The `delta_pic_order_cnt[1]`.
    public var orderDelta1 = 0
    /// The `redundant_pic_cnt`; above 0 in a redundant slice, which decoders use if the primary slice is lost.
    public var redundantPictureCount = 0
    /// The `slice_qp_delta`.
    public var quantizerDelta = 0
    /// The size in bits from the first bit of the NAL unit header to the last bit of the slice header, without
    /// emulation prevention bytes.
    public var bitCount = 0
    /// The number of bytes of the NAL unit, as it is stored in the file, that contain its header and the slice header,
    /// including emulation prevention bytes. These bytes stay clear with cbcs (ISO/IEC 23001-7, 9.5.2.4). The last of
    /// them contains the last bit of the slice header.
    public var clearByteCount = 0

    /// Parses a slice header.
    ///
    /// - Parameters:
    ///   - unit: the NAL unit, including its header and emulation prevention bytes. The slice data after the header are
    ///     not read.
    ///   - parameterSets: the active parameter sets.
    ///   - base: the offset of its first byte, for errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` if a value is outside the standard's limits;
    ///   `unknown-parameter-set`; `unsupported-codec-feature` for data partitions and for slices of layers above the
    ///   base layer.
    public init(_ unit: RawSpan, parameterSets: borrowing H264ParameterSets, base: Int = 0) throws(ParseError) {
        var reader = BitReader(unit, base: base)
        nal = H264NALHeader(rawValue: UInt8(truncatingIfNeeded: try reader.readBits(8, "NAL unit header")))
        guard nal.type.isSlice else { throw Self.unsupported(nal.type, base) }
        firstMacroblock = try reader.readUE("first_mb_in_slice", upTo: 4096 * 4096)
        let type = try reader.readUE("slice_type", upTo: 9)
        kind = Kind(rawValue: type >= 5 ? type - 5 : type) ?? .i
        pictureParameterSetID = try reader.readUE("pic_parameter_set_id", upTo: 255)
        guard let context = parameterSets.context(pictureParameterSetID) else {
            throw reader.failure(
                .unknownParameterSet,
                "slice header",
                "picture parameter set \(pictureParameterSetID) or its sequence parameter set is missing"
            )
        }
        if context.hasSeparateColorPlanes { try reader.skip(bits: 2, "colour_plane_id") }
        frameNumber = try reader.readInt(context.frameNumberBits, "frame_num")
        try readOrder(&reader, context)
        try readReferences(&reader, context)
        if context.usesCABAC, kind != .i, kind != .si { _ = try reader.readUE("cabac_init_idc", upTo: 2) }
        // The range is extended by 6 for each bit of bit depth above 8, at most 6 bits.
        quantizerDelta = try reader.readSE("slice_qp_delta", in: -87...87)
        if kind == .sp || kind == .si {
            if kind == .sp { try reader.skip(bits: 1, "sp_for_switch_flag") }
            _ = try reader.readSE("slice_qs_delta", in: -51...51)
        }
        if context.hasDeblockingControl, try reader.readUE("disable_deblocking_filter_idc", upTo: 2) != 1 {
            _ = try reader.readSE("slice_alpha_c0_offset_div2", in: -6...6)
            _ = try reader.readSE("slice_beta_offset_div2", in: -6...6)
        }
        if context.sliceGroupCycleBits > 0 {
            try reader.skip(bits: context.sliceGroupCycleBits, "slice_group_change_cycle")
        }
        bitCount = reader.bitsRead
        clearByteCount = reader.bytesTouched
    }

    @inline(never)
    private static func unsupported(_ type: H264NALUnitType, _ base: Int) -> ParseError {
        let reason =
            switch type.rawValue {
            case 2...4: "data partitions (type \(type.rawValue)) are not supported"
            case 19...21: "slices of other layers, views or alpha (type \(type.rawValue)) are not supported"
            default: "a NAL unit of type \(type.rawValue) has no slice header"
            }
        return ParseError(.unsupportedCodecFeature, reading: "slice header", offset: base, reason: reason)
    }

    @inline(__always)
    private mutating func readOrder(
        _ reader: inout BitReader,
        _ context: borrowing H264SliceContext
    ) throws(ParseError) {
        if !context.hasFramesOnly {
            isField = try reader.readFlag("field_pic_flag")
            if isField { isBottomField = try reader.readFlag("bottom_field_flag") }
        }
        if nal.type == .idrSlice { idrPictureID = try reader.readUE("idr_pic_id", upTo: 65535) }
        if context.pictureOrderType == 0 {
            pictureOrder = try reader.readInt(context.pictureOrderBits, "pic_order_cnt_lsb")
            if context.hasBottomFieldOrder, !isField {
                bottomFieldOrderDelta = try reader.readSE("delta_pic_order_cnt_bottom")
            }
        } else if context.pictureOrderType == 1, !context.deltaPictureOrderIsZero {
            orderDelta0 = try reader.readSE("delta_pic_order_cnt")
            if context.hasBottomFieldOrder, !isField { orderDelta1 = try reader.readSE("delta_pic_order_cnt") }
        }
        if context.hasRedundantPictureCount {
            redundantPictureCount = try reader.readUE("redundant_pic_cnt", upTo: 127)
        }
    }

    @inline(__always)
    private func readReferences(
        _ reader: inout BitReader,
        _ context: borrowing H264SliceContext
    ) throws(ParseError) {
        if kind == .b { try reader.skip(bits: 1, "direct_spatial_mv_pred_flag") }
        if kind != .i, kind != .si {
            var count0 = context.defaultReferences0
            var count1 = kind == .b ? context.defaultReferences1 : 0
            if try reader.readFlag("num_ref_idx_active_override_flag") {
                count0 = 1 + (try reader.readUE("num_ref_idx_l0_active_minus1", upTo: 31))
                if kind == .b { count1 = 1 + (try reader.readUE("num_ref_idx_l1_active_minus1", upTo: 31)) }
            }
            try H264ReferenceSyntax.skipListModification(&reader)
            if kind == .b { try H264ReferenceSyntax.skipListModification(&reader) }
            if kind == .b ? context.weightedBipredictionIDC == 1 : context.hasWeightedPrediction {
                try H264ReferenceSyntax.skipWeights(
                    &reader,
                    counts: (count0, count1),
                    hasChroma: context.chromaArrayType != 0
                )
            }
        }
        if nal.referenceIDC != 0 { try H264ReferenceSyntax.skipMarking(&reader, isIDR: nal.type == .idrSlice) }
    }
}
