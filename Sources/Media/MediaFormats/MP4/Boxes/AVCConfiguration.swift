public import ByteCoding
import TextCoding

/// An `avcC` box: the decoder configuration of an H.264 track (ISO/IEC 14496-15, 5.3.3.1).
///
///     configurationVersion                1 byte    1
///     AVCProfileIndication                1 byte
///     profile_compatibility               1 byte
///     AVCLevelIndication                  1 byte
///     reserved                            6 bits
///     lengthSizeMinusOne                  2 bits
///     reserved                            3 bits
///     numOfSequenceParameterSets          5 bits
///     length 2 bytes, NAL unit                      each
///     numOfPictureParameterSets           1 byte
///     length 2 bytes, NAL unit                      each
///     reserved                            6 bits    ┐ profiles 100, 110, 122, 144 and others; often missing
///     chroma_format                       2 bits    │
///     reserved                            5 bits    │
///     bit_depth_luma_minus8               3 bits    │
///     reserved                            5 bits    │
///     bit_depth_chroma_minus8             3 bits    │
///     numOfSequenceParameterSetExt        1 byte    │
///     length 2 bytes, NAL unit                      ┘ each
public struct AVCConfigurationBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "avcC"

    /// The `profile_idc`.
    public var profile: UInt8
    /// The constraint flags (`profile_compatibility`).
    public var compatibility: UInt8
    /// The `level_idc`.
    public var level: UInt8
    /// The size in bytes of the length before each NAL unit: 1, 2 or 4.
    public var lengthSize: Int
    /// The sequence parameter sets as NAL units, including their headers.
    public var sequenceParameterSets: [[UInt8]]
    /// The picture parameter sets as NAL units, including their headers.
    public var pictureParameterSets: [[UInt8]]
    /// The remaining bytes of the box: chroma format, bit depths and extensions. Empty if they are missing.
    public var extensions: [UInt8]

    /// Creates a box from the parameter sets of a stream. The profile and level are those of the first sequence
    /// parameter set.
    ///
    /// - Throws: `ParseError`, as for the parameter set; `invalid-value` without a sequence parameter set.
    public init(
        sequenceParameterSets: [[UInt8]],
        pictureParameterSets: [[UInt8]],
        lengthSize: Int = 4
    ) throws(ParseError) {
        guard let first = sequenceParameterSets.first else {
            throw ParseError(
                .invalidValue,
                reading: "avcC box",
                offset: 0,
                reason: "the box requires a sequence parameter set"
            )
        }
        let set = try H264SequenceParameterSet(first.span.bytes)
        profile = set.profile
        compatibility = set.constraints
        level = set.level
        self.lengthSize = lengthSize
        self.sequenceParameterSets = sequenceParameterSets
        self.pictureParameterSets = pictureParameterSets
        extensions = []
        if ![66, 77, 88].contains(profile) {
            extensions = [
                0xFC | UInt8(set.chromaFormat), 0xF8 | UInt8(set.lumaBitDepth - 8),
                0xF8 | UInt8(set.chromaBitDepth - 8), 0,
            ]
        }
    }

    /// Reads the content of the box, after its header.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let offset = reader.offset
        let version = try reader.readUInt8("version of the avcC box")
        guard version == 1 else {
            throw ParseError(
                .invalidValue,
                reading: "version of the avcC box",
                offset: offset,
                reason: "version \(version) is not supported, must be 1"
            )
        }
        profile = try reader.readUInt8("profile of the avcC box")
        compatibility = try reader.readUInt8("profile compatibility of the avcC box")
        level = try reader.readUInt8("level of the avcC box")
        lengthSize = try reader.readLengthSize("avcC")
        let count = Int(try reader.readUInt8("number of sequence parameter sets")) & 31
        sequenceParameterSets = try reader.readNALUnits(count, "sequence parameter set")
        pictureParameterSets = try reader.readNALUnits(
            Int(try reader.readUInt8("number of picture parameter sets")),
            "picture parameter set"
        )
        extensions = try reader.readRest("extensions of the avcC box")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            writer.write([1, profile, compatibility, level, 0xFC | UInt8(lengthSize - 1)])
            writer.write(0xE0 | UInt8(sequenceParameterSets.count))
            for set in sequenceParameterSets { writer.writeNALUnit(set) }
            writer.write(UInt8(pictureParameterSets.count))
            for set in pictureParameterSets { writer.writeNALUnit(set) }
            writer.write(extensions)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("AVCProfileIndication", profile),
            BoxField("profile_compatibility", "0x" + Hexadecimal.encode([compatibility])),
            BoxField("AVCLevelIndication", level), BoxField("lengthSize", lengthSize, unit: "bytes"),
            BoxField("numOfSequenceParameterSets", sequenceParameterSets.count),
            BoxField("numOfPictureParameterSets", pictureParameterSets.count),
        ]
    }
}

extension ByteReader {
    /// Reads the byte whose lowest 2 bits are the size of NAL unit lengths minus one.
    mutating func readLengthSize(_ box: String) throws(ParseError) -> Int {
        let offset = self.offset
        let size = Int(try readUInt8("length size of the \(box) box") & 3) + 1
        guard size != 3 else {
            throw ParseError(
                .invalidValue,
                reading: "length size of the \(box) box",
                offset: offset,
                reason: "the size is 3 bytes, must be 1, 2 or 4"
            )
        }
        return size
    }

    /// Reads `count` NAL units, each after a length of 2 bytes.
    mutating func readNALUnits(_ count: Int, _ field: String) throws(ParseError) -> [[UInt8]] {
        var units: [[UInt8]] = []
        for _ in 0..<count {
            let length = Int(try readUInt16("length of a \(field)"))
            units.append(try readBytes(length, field))
        }
        return units
    }
}

extension BoxWriter {
    /// Writes a NAL unit after a length of 2 bytes.
    mutating func writeNALUnit(_ unit: [UInt8]) {
        write(UInt16(truncatingIfNeeded: unit.count))
        write(unit)
    }
}
