public import ByteCoding

/// A `saiz` box: the sizes of the samples' auxiliary information (ISO/IEC 14496-12, 8.7.8).
///
///     aux_info_type             4 bytes   ┐ if flags 0x000001
///     aux_info_type_parameter   4 bytes   ┘
///     default_sample_info_size  1 byte    0: see sample_info_size
///     sample_count              4 bytes
///     sample_info_size          1 byte each, if the default is 0
public struct AuxiliaryInformationSizesBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "saiz"

    /// The type of the auxiliary information; nil for that of the protection scheme.
    public var infoType: FourCC?
    /// The size of every entry in bytes; 0 if the sizes differ.
    public var defaultSize: UInt8
    /// The number of samples.
    public var sampleCount: Int
    /// The sizes in bytes if ``defaultSize`` is 0; otherwise empty.
    public var sizes: [UInt8]

    /// Creates a box of sizes, in the short form if all are equal.
    public init(sizes: [UInt8]) {
        infoType = nil
        sampleCount = sizes.count
        let first = sizes.first ?? 0
        let isUniform = first != 0 && sizes.allSatisfy { $0 == first }
        defaultSize = isUniform ? first : 0
        self.sizes = isUniform ? [] : sizes
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        infoType = nil
        if header.flags & 1 != 0 {
            infoType = try reader.readFourCC("type of auxiliary information")
            try reader.skip(4, "parameter of auxiliary information")
        }
        defaultSize = try reader.readUInt8("default size of auxiliary information")
        if defaultSize == 0 {
            sampleCount = try reader.readCount(entrySize: 1, "number of samples in the saiz box")
            sizes = try reader.readBytes(sampleCount, "sizes of auxiliary information")
        } else {
            sampleCount = Int(try reader.readUInt32("number of samples in the saiz box"))
            sizes = []
        }
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, flags: infoType == nil ? 0 : 1) { writer in
            if let infoType {
                writer.write(infoType)
                writer.zeros(4)
            }
            writer.write(defaultSize)
            writer.write(UInt32(sampleCount))
            if defaultSize == 0 { writer.write(sizes) }
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [BoxField("default_sample_info_size", defaultSize), BoxField("sample_count", sampleCount)]
    }
}
