/// The first byte of an H.264 NAL unit (ITU-T H.264, 7.3.1):
///
///     forbidden_zero_bit   1 bit
///     nal_ref_idc          2 bits
///     nal_unit_type        5 bits
///
/// Types 14, 20 and 21 have 2 or 3 more bytes.
public struct H264NALHeader: RawRepresentable, Hashable, Sendable {
    /// The header byte.
    public var rawValue: UInt8

    /// Creates a header from its byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The `nal_ref_idc` value; 0 if the NAL unit is not used for reference.
    public var referenceIDC: Int { Int(rawValue >> 5 & 3) }

    /// The `nal_unit_type` value.
    public var type: H264NALUnitType { H264NALUnitType(rawValue: rawValue & 31) }
}

/// The type of a NAL unit (ITU-T H.264, Table 7-1).
public struct H264NALUnitType: RawRepresentable, Hashable, Sendable {
    /// The `nal_unit_type` value, 5 bits.
    public var rawValue: UInt8

    /// Creates a type from its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A slice of a picture that is not an IDR picture.
    public static let slice = H264NALUnitType(rawValue: 1)
    /// Data partition A, which contains the slice header. Partitions B and C have the types 3 and 4.
    public static let partitionA = H264NALUnitType(rawValue: 2)
    /// A slice of an IDR picture.
    public static let idrSlice = H264NALUnitType(rawValue: 5)
    /// Supplemental enhancement information.
    public static let sei = H264NALUnitType(rawValue: 6)
    /// A sequence parameter set.
    public static let sequenceParameterSet = H264NALUnitType(rawValue: 7)
    /// A picture parameter set.
    public static let pictureParameterSet = H264NALUnitType(rawValue: 8)
    /// An access unit delimiter.
    public static let accessUnitDelimiter = H264NALUnitType(rawValue: 9)
    /// The end of a sequence.
    public static let endOfSequence = H264NALUnitType(rawValue: 10)
    /// The end of the stream.
    public static let endOfStream = H264NALUnitType(rawValue: 11)
    /// Filler data.
    public static let filler = H264NALUnitType(rawValue: 12)
    /// A sequence parameter set extension, for alpha.
    public static let sequenceParameterSetExtension = H264NALUnitType(rawValue: 13)
    /// The prefix NAL unit of a base layer slice in scalable and multiview streams.
    public static let prefix = H264NALUnitType(rawValue: 14)
    /// A sequence parameter set of layers above the base layer.
    public static let subsetSequenceParameterSet = H264NALUnitType(rawValue: 15)
    /// A slice of an auxiliary picture (alpha).
    public static let auxiliarySlice = H264NALUnitType(rawValue: 19)
    /// A slice of a layer or view above the base layer.
    public static let sliceExtension = H264NALUnitType(rawValue: 20)
    /// A slice of a depth view.
    public static let depthSliceExtension = H264NALUnitType(rawValue: 21)

    /// True if the type is a complete slice of the base layer: type 1 or 5. Only these are encrypted.
    public var isSlice: Bool { rawValue == 1 || rawValue == 5 }

    /// True if the type contains coded video (VCL): types 1 to 5 and 19 to 21.
    public var isVideoCodingLayer: Bool { (1...5).contains(rawValue) || (19...21).contains(rawValue) }
}
