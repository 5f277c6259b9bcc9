/// The first 2 bytes of an HEVC NAL unit (ITU-T H.265, 7.3.1.2):
///
///     forbidden_zero_bit      1 bit
///     nal_unit_type           6 bits
///     nuh_layer_id            6 bits
///     nuh_temporal_id_plus1   3 bits
public struct HEVCNALHeader: RawRepresentable, Hashable, Sendable {
    /// The 2 bytes as a big-endian number.
    public var rawValue: UInt16

    /// Creates a header from its 2 bytes.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Reads the header of a NAL unit. Returns nil if it has fewer than 2 bytes.
    public init?(_ unit: RawSpan) {
        guard unit.byteCount >= 2 else { return nil }
        rawValue = UInt16(bigEndian: unit.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt16.self))
    }

    /// The `nal_unit_type` value.
    public var type: HEVCNALUnitType { HEVCNALUnitType(rawValue: UInt8(rawValue >> 9 & 63)) }
    /// The `nuh_layer_id` value; 0 is the base layer.
    public var layer: Int { Int(rawValue >> 3 & 63) }
    /// The `TemporalId`, 0 to 6.
    public var temporalLayer: Int { Int(rawValue & 7) - 1 }
}

/// The type of a NAL unit (ITU-T H.265, Table 7-1).
public struct HEVCNALUnitType: RawRepresentable, Hashable, Sendable {
    /// The `nal_unit_type` value, 6 bits.
    public var rawValue: UInt8

    /// Creates a type from its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A random access decodable leading (RADL) picture: decodable if decoding starts at its IRAP picture; not used for
    /// reference in its sub-layer.
    public static let radlN = HEVCNALUnitType(rawValue: 6)
    /// A RADL picture that is used for reference.
    public static let radlR = HEVCNALUnitType(rawValue: 7)
    /// A random access skipped leading (RASL) picture: not decodable if decoding starts at its IRAP picture; not used
    /// for reference in its sub-layer.
    public static let raslN = HEVCNALUnitType(rawValue: 8)
    /// A RASL picture that is used for reference.
    public static let raslR = HEVCNALUnitType(rawValue: 9)
    /// A broken link access (BLA) picture that can have leading pictures of both types.
    public static let blaWLP = HEVCNALUnitType(rawValue: 16)
    /// A BLA picture that can have decodable leading pictures.
    public static let blaWRADL = HEVCNALUnitType(rawValue: 17)
    /// A BLA picture without leading pictures.
    public static let blaNLP = HEVCNALUnitType(rawValue: 18)
    /// An IDR picture that can have decodable leading pictures.
    public static let idrWRADL = HEVCNALUnitType(rawValue: 19)
    /// An IDR picture without leading pictures.
    public static let idrNLP = HEVCNALUnitType(rawValue: 20)
    /// A clean random access (CRA) picture.
    public static let cra = HEVCNALUnitType(rawValue: 21)
    /// A video parameter set.
    public static let videoParameterSet = HEVCNALUnitType(rawValue: 32)
    /// A sequence parameter set.
    public static let sequenceParameterSet = HEVCNALUnitType(rawValue: 33)
    /// A picture parameter set.
    public static let pictureParameterSet = HEVCNALUnitType(rawValue: 34)
    /// An access unit delimiter.
    public static let accessUnitDelimiter = HEVCNALUnitType(rawValue: 35)
    /// Supplemental enhancement information (SEI) before the slices.
    public static let prefixSEI = HEVCNALUnitType(rawValue: 39)
    /// Supplemental enhancement information (SEI) after the slices.
    public static let suffixSEI = HEVCNALUnitType(rawValue: 40)

    /// True if the type is a slice segment: types 0 to 9 and 16 to 21. Types 10 to 15 and 22 to 31 are reserved.
    public var isSlice: Bool { rawValue <= 9 || (16...21).contains(rawValue) }
    /// True if the type contains coded video (VCL), including reserved types.
    public var isVideoCodingLayer: Bool { rawValue < 32 }
    /// True if decoding can start with the picture (IRAP): types 16 to 23.
    public var isIntraRandomAccess: Bool { (16...23).contains(rawValue) }
    /// True if the type is an IDR picture.
    public var isIDR: Bool { rawValue == 19 || rawValue == 20 }
    /// True if the type is a BLA picture.
    public var isBLA: Bool { (16...18).contains(rawValue) }
    /// True if the type is a leading picture.
    public var isLeading: Bool { (6...9).contains(rawValue) }
}
