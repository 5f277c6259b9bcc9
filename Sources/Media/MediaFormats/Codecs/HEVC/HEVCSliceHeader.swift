public import ByteCoding

/// A slice segment header (ITU-T H.265, 7.3.6.1), parsed up to the first byte of the slice data.
///
///     first_slice_segment_in_pic_flag          u(1)
///     no_output_of_prior_pics_flag             u(1)   IRAP pictures
///     slice_pic_parameter_set_id               ue
///     dependent_slice_segment_flag             u(1)   ┐ not the first, if there are such
///     slice_segment_address                    u(v)   ┘ not the first
///     the slice header itself                         not in a dependent segment
///     num_entry_point_offsets                  ue     ┐ with tiles or entropy synchronization
///     offset_len_minus1                        ue     │
///     entry_point_offset_minus1                u(v)   ┘ each
///     slice_segment_header_extension_length    ue     and as many bytes, if the picture parameter set enables it
///     byte_alignment                                  a 1 bit, and 0 bits to the end of the byte
public struct HEVCSliceHeader: Hashable, Sendable {
    /// The type of a slice.
    public enum Kind: Int, Hashable, Sendable {
        /// A slice predicted from two reference lists.
        case b
        /// A slice predicted from one reference list.
        case p
        /// A slice without inter prediction.
        case i
    }

    /// The NAL unit header.
    public var nal: HEVCNALHeader
    /// True if the segment is the first in its picture.
    public var isFirstInPicture: Bool
    /// The ID of the picture parameter set.
    public var pictureParameterSetID: Int
    /// True if the segment uses the slice header of the previous segment.
    public var isDependent = false
    /// The address of the first coding tree block; 0 in the first segment.
    public var address = 0
    /// The type of the slice; nil in a dependent segment.
    public var kind: Kind?
    /// The `slice_pic_order_cnt_lsb`; 0 in IDR pictures and in dependent segments.
    public var pictureOrder = 0
    /// The `slice_qp_delta`; 0 in dependent segments.
    public var quantizerDelta = 0
    /// The `slice_sao_luma_flag`; false in dependent segments.
    package var filtersLuma = false
    /// The `slice_sao_chroma_flag`; false in dependent segments.
    package var filtersChroma = false
    /// The number of entry points.
    public var entryPoints = 0
    /// The size in bits from the first bit of the NAL unit header to the first bit of the slice data, without emulation
    /// prevention bytes. A multiple of 8.
    public var bitCount = 0
    /// The number of bytes of the NAL unit, as it is stored in the file, that contain its header and the slice segment
    /// header, including emulation prevention bytes. These bytes stay clear with cbcs (ISO/IEC 23001-7, 9.5.2.4). Slice
    /// data begin with the next byte.
    public var clearByteCount = 0

    /// Parses a slice segment header.
    ///
    /// - Parameters:
    ///   - unit: the NAL unit, including its header and emulation prevention bytes. The slice data after the header are
    ///     not read.
    ///   - parameterSets: the active parameter sets.
    ///   - base: the offset of its first byte, for errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` if a value is outside the standard's limits, or if the byte
    ///   alignment at the end of the header is wrong; `unknown-parameter-set`; `unsupported-codec-feature` for layers
    ///   above the base layer and for NAL units that are not slices.
    public init(_ unit: RawSpan, parameterSets: borrowing HEVCParameterSets, base: Int = 0) throws(ParseError) {
        var reader = BitReader(unit, base: base)
        nal = try HEVCLayer.readHeader(&reader, "slice segment header")
        guard nal.type.isSlice else {
            throw reader.failure(
                .unsupportedCodecFeature,
                "slice segment header",
                "a NAL unit of type \(nal.type.rawValue) has no slice header"
            )
        }
        isFirstInPicture = try reader.readFlag("first_slice_segment_in_pic_flag")
        if nal.type.isIntraRandomAccess { try reader.skip(bits: 1, "no_output_of_prior_pics_flag") }
        pictureParameterSetID = try reader.readUE("slice_pic_parameter_set_id", upTo: 63)
        guard let context = parameterSets.context(pictureParameterSetID) else {
            throw reader.failure(
                .unknownParameterSet,
                "slice segment header",
                "picture parameter set \(pictureParameterSetID) or its sequence parameter set is missing"
            )
        }
        let picture = context.picture
        if !isFirstInPicture {
            if picture.hasDependentSegments { isDependent = try reader.readFlag("dependent_slice_segment_flag") }
            address = try reader.readInt(context.addressBits, "slice_segment_address")
        }
        if !isDependent { try readSlice(&reader, context) }
        if picture.hasTiles || picture.hasEntropySync {
            entryPoints = try reader.readUE("num_entry_point_offsets", upTo: context.maximumEntryPoints)
            if entryPoints > 0 {
                let bits = 1 + (try reader.readUE("offset_len_minus1", upTo: 31))
                try reader.skip(bits: entryPoints * bits, "entry_point_offset_minus1")
            }
        }
        if picture.hasSliceHeaderExtension {
            let length = try reader.readUE("slice_segment_header_extension_length", upTo: 256)
            try reader.skip(bits: length * 8, "slice_segment_header_extension_data_byte")
        }
        // This check usually detects a header that was parsed incorrectly.
        let isOne = try reader.readFlag("alignment_bit_equal_to_one")
        let isZero = try reader.readBits(-reader.bitsRead & 7, "alignment_bit_equal_to_zero") == 0
        guard isOne, isZero else {
            throw reader.failure(
                .invalidValue,
                "byte alignment of a slice segment header",
                "the alignment bits must be a 1 followed by zeros"
            )
        }
        bitCount = reader.bitsRead
        clearByteCount = reader.bytesTouched
    }
}
