public import ByteCoding

/// A `saio` box: the offsets of the samples' auxiliary information (ISO/IEC 14496-12, 8.7.9).
///
///     aux_info_type             4 bytes   ┐ if flags 0x000001
///     aux_info_type_parameter   4 bytes   ┘
///     entry_count               4 bytes
///     offset                    4 bytes each in version 0, 8 in version 1
public struct AuxiliaryInformationOffsetsBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "saio"

    /// The type of the auxiliary information; nil for that of the protection scheme.
    public var infoType: FourCC?
    /// The offsets in bytes: one for all samples of a fragment, relative to the base of the fragment; or one for each
    /// run.
    public var offsets: [UInt64]

    /// Creates a box.
    public init(offsets: [UInt64]) {
        infoType = nil
        self.offsets = offsets
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        infoType = nil
        if header.flags & 1 != 0 {
            infoType = try reader.readFourCC("type of auxiliary information")
            try reader.skip(4, "parameter of auxiliary information")
        }
        let count = try reader.readCount(entrySize: header.version == 0 ? 4 : 8, "number of offsets in the saio box")
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

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("offsets", list: offsets)] }
}
