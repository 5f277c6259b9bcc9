public import ByteCoding

/// A slice segment header (ITU-T H.265, 7.3.6.1), read to the byte where the slice data begins.
///
///     first_slice_segment_in_pic_flag          u(1)
///     no_output_of_prior_pics_flag             u(1)   IRAP pictures
///     slice_pic_parameter_set_id               ue
///     dependent_slice_segment_flag             u(1)   ┐ not the first, if there are such
///     slice_segment_address                    u(v)   ┘ not the first
///     the slice header proper                         not in a dependent segment
///     num_entry_point_offsets                  ue     ┐ with tiles or entropy synchronization
///     offset_len_minus1                        ue     │
///     entry_point_offset_minus1                u(v)   ┘ each
///     slice_segment_header_extension_length    ue     and as many bytes, if the picture parameter set says so
///     byte_alignment                                  a 1 bit, and 0 bits to the end of the byte
public struct HEVCSliceHeader: Hashable, Sendable {
    /// The kind of a slice.
    public enum Kind: Int, Hashable, Sendable {
        /// Predicted from two lists.
        case b
        /// Predicted from one list.
        case p
        /// Not predicted from other pictures.
        case i
    }

    /// The first 2 bytes of the NAL unit.
    public var nal: HEVCNALHeader
    /// Whether the segment is the first of its picture.
    public var isFirstInPicture: Bool
    /// The picture parameter set.
    public var pictureParameterSetID: Int
    /// Whether the segment takes its header from the segment before it.
    public var isDependent = false
    /// The first coding tree block; 0 in the first segment.
    public var address = 0
    /// The kind; nil in a dependent segment.
    public var kind: Kind?
    /// `slice_pic_order_cnt_lsb`; 0 in IDR pictures and in dependent segments.
    public var pictureOrder = 0
    /// `slice_qp_delta`; 0 in dependent segments.
    public var quantizerDelta = 0
    /// How many entry points there are.
    public var entryPoints = 0
    /// From the first bit of the NAL unit, its header included, to the first bit of the slice data, emulation
    /// prevention bytes not counted. A multiple of 8.
    public var bitCount = 0
    /// How many bytes of the NAL unit as it lies in the file hold its header and the slice segment header, emulation
    /// prevention bytes counted. These stay clear under cbcs (ISO/IEC 23001-7, 9.5.2.4); slice data begins with the
    /// next byte.
    public var clearByteCount = 0

    /// Reads a slice segment header.
    ///
    /// - Parameters:
    ///   - unit: The NAL unit, header included, emulation prevention bytes in place. More than its beginning is not looked at.
    ///   - parameterSets: Those in force.
    ///   - base: What its first byte counts as in errors.
    /// - Throws: `ParseError` `truncated`; `invalid-value` for a value beyond the standard's limits, and for alignment
    ///   that is not where the header ends; `unknown-parameter-set`; `unsupported-codec-feature` for layers above the
    ///   base layer and for NAL units that are not slices.
    public init(_ unit: RawSpan, parameterSets: borrowing HEVCParameterSets, base: Int = 0) throws(ParseError) {
        var reader = BitReader(unit, base: base)
        nal = try HEVCLayer.readHeader(&reader, "slice segment header")
        guard nal.type.isSlice else {
            throw reader.failure(
                .unsupportedCodecFeature,
                "slice segment header",
                "a NAL unit of type \(nal.type.rawValue) has none"
            )
        }
        isFirstInPicture = try reader.readFlag("first_slice_segment_in_pic_flag")
        if nal.type.isIntraRandomAccess { try reader.skip(bits: 1, "no_output_of_prior_pics_flag") }
        pictureParameterSetID = try reader.readUE("slice_pic_parameter_set_id", upTo: 63)
        guard let context = parameterSets.context(pictureParameterSetID) else {
            throw reader.failure(
                .unknownParameterSet,
                "slice segment header",
                "it names picture parameter set \(pictureParameterSetID), which is not known or builds on one that is not"
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
        // Should the header have been misread, this notices it as a rule.
        let isOne = try reader.readFlag("alignment_bit_equal_to_one")
        let isZero = try reader.readBits(-reader.bitsRead & 7, "alignment_bit_equal_to_zero") == 0
        guard isOne, isZero else {
            throw reader.failure(.invalidValue, "byte alignment of a slice segment header", "it is not 1 and zeros")
        }
        bitCount = reader.bitsRead
        clearByteCount = reader.bytesTouched
    }
}
