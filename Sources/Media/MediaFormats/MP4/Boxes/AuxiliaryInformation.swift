public import ByteCoding

/// `saiz`: the sizes of the samples' auxiliary information (ISO/IEC 14496-12, 8.7.8).
///
///     aux_info_type             4 bytes   ┐ if flags 0x000001
///     aux_info_type_parameter   4 bytes   ┘
///     default_sample_info_size  1 byte    0: each sample has its own
///     sample_count              4 bytes
///     sample_info_size          1 byte each, if the default is 0
public struct AuxiliaryInformationSizesBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "saiz"

    /// The kind of information; nil: that of the protection scheme.
    public var infoType: FourCC?
    /// The size of every entry in bytes; 0 when each has its own.
    public var defaultSize: UInt8
    /// The number of samples.
    public var sampleCount: Int
    /// The sizes in bytes, when ``defaultSize`` is 0.
    public var sizes: [UInt8]

    /// Makes a box of sizes, in the short form where all are equal.
    public init(sizes: [UInt8]) {
        infoType = nil
        sampleCount = sizes.count
        let first = sizes.first ?? 0
        let isUniform = first != 0 && sizes.allSatisfy { $0 == first }
        defaultSize = isUniform ? first : 0
        self.sizes = isUniform ? [] : sizes
    }

    /// Reads the content.
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
            sampleCount = try reader.readCount(entrySize: 1, "number of samples in a saiz box")
            sizes = try reader.readBytes(sampleCount, "sizes of auxiliary information")
        } else {
            sampleCount = Int(try reader.readUInt32("number of samples in a saiz box"))
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
}

/// `saio`: where the samples' auxiliary information lies (ISO/IEC 14496-12, 8.7.9).
///
///     aux_info_type             4 bytes   ┐ if flags 0x000001
///     aux_info_type_parameter   4 bytes   ┘
///     entry_count               4 bytes
///     offset                    4 bytes each in version 0, 8 in version 1
public struct AuxiliaryInformationOffsetsBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "saio"

    /// The kind of information; nil: that of the protection scheme.
    public var infoType: FourCC?
    /// The offsets: one for all samples of a fragment, from the base of the fragment; or one for each run.
    public var offsets: [UInt64]

    /// Makes a box.
    public init(offsets: [UInt64]) {
        infoType = nil
        self.offsets = offsets
    }

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        infoType = nil
        if header.flags & 1 != 0 {
            infoType = try reader.readFourCC("type of auxiliary information")
            try reader.skip(4, "parameter of auxiliary information")
        }
        let count = try reader.readCount(entrySize: header.version == 0 ? 4 : 8, "number of offsets in a saio box")
        offsets = []
        offsets.reserveCapacity(count)
        for _ in 0..<count { offsets.append(try reader.readTime(header, "offset of auxiliary information")) }
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        let version: UInt8 = offsets.contains { $0 > UInt32.max } ? 1 : 0
        writer.fullBox(Self.type, version: version, flags: infoType == nil ? 0 : 1) { writer in
            if let infoType {
                writer.write(infoType)
                writer.zeros(4)
            }
            writer.write(UInt32(offsets.count))
            for offset in offsets { writer.writeTime(offset, version) }
        }
    }
}
