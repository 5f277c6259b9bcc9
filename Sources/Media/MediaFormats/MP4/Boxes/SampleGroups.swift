public import ByteCoding

/// An `sbgp` box: the groups of a type that samples belong to (ISO/IEC 14496-12, 8.9.2). The entries stay in the file.
///
///     grouping_type             4 bytes   seig, roll, rap
///     grouping_type_parameter   4 bytes   version 1
///     entry_count               4 bytes
///     sample_count              4 bytes   ┐ each entry
///     group_description_index   4 bytes   ┘ from 1; 0: none; above 0x10000: the table in the same fragment
public struct SampleToGroupBox: Hashable, Sendable {
    /// The type of the box.
    public static let type: FourCC = "sbgp"
    /// The type of the groups.
    public var groupingType: FourCC
    /// The entries, 8 bytes each.
    public var entries: TableEntries

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        groupingType = try reader.readFourCC("grouping type")
        if header.version == 1 { try reader.skip(4, "parameter of a grouping type") }
        entries = try TableEntries(reading: &reader, entrySize: 8, "sbgp")
    }
}

/// An `sgpd` box: the descriptions of sample groups (ISO/IEC 14496-12, 8.9.3).
///
///     grouping_type                     4 bytes
///     default_length                    4 bytes   version 1 and newer; 0: see description_length
///     default_group_description_index   4 bytes   version 2 and newer
///     entry_count                       4 bytes
///     description_length                4 bytes   if default_length is 0   ┐ each entry
///     entry                             depends on grouping_type             ┘
public struct SampleGroupDescriptionBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "sgpd"

    /// The type of the groups.
    public var groupingType: FourCC
    /// The index of the entry for samples that `sbgp` does not list, from 1; 0 for none.
    public var defaultIndex: UInt32
    /// The entries as bytes.
    public var entries: [[UInt8]]

    /// Creates a box.
    public init(groupingType: FourCC, entries: [[UInt8]]) {
        self.groupingType = groupingType
        defaultIndex = 0
        self.entries = entries
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 3)
        groupingType = try reader.readFourCC("grouping type")
        let defaultLength = header.version >= 1 ? Int(try reader.readUInt32("default length")) : nil
        defaultIndex = header.version >= 2 ? try reader.readUInt32("default group description index") : 0
        entries = []
        guard let defaultLength else {
            // Version 0 does not specify the sizes of entries, so they are stored as one.
            let count = try reader.readUInt32("number of group descriptions")
            let rest = try reader.readRest("group descriptions")
            if count > 0 { entries = [rest] }
            return
        }
        let least = defaultLength == 0 ? 4 : defaultLength
        let count = try reader.readCount(entrySize: least, "number of group descriptions")
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let length =
                defaultLength == 0 ? Int(try reader.readUInt32("length of a group description")) : defaultLength
            entries.append(try reader.readBytes(length, "group description"))
        }
    }

    /// Writes the whole box, in version 1, or in version 2 if there is a default index. Each entry has its own length
    /// unless all lengths are equal.
    public func write(to writer: inout BoxWriter) {
        let first = entries.first?.count ?? 0
        let length = entries.allSatisfy { $0.count == first } ? first : 0
        writer.fullBox(Self.type, version: defaultIndex == 0 ? 1 : 2) { writer in
            writer.write(groupingType)
            writer.write(UInt32(length))
            if defaultIndex != 0 { writer.write(defaultIndex) }
            writer.write(UInt32(entries.count))
            for entry in entries {
                if length == 0 { writer.write(UInt32(entry.count)) }
                writer.write(entry)
            }
        }
    }
}

/// An entry of a `seig` group: the protection of its samples, which overrides `tenc` (ISO/IEC 23001-7, 6).
///
///     reserved             1 byte
///     crypt_byte_block     4 bits
///     skip_byte_block      4 bits
///     isProtected          1 byte
///     Per_Sample_IV_Size   1 byte    0, 8, 16
///     KID                  16 bytes
///     constant_IV_size     1 byte    ┐ if protected and the size is 0
///     constant_IV          8 or 16   ┘
public struct SampleEncryptionGroupEntry: Hashable, Sendable {
    /// The encryption parameters as a `tenc` box, which has the same fields.
    public var encryption: TrackEncryptionBox

    /// Creates an entry.
    public init(_ encryption: TrackEncryptionBox) { self.encryption = encryption }

    /// Reads an entry of an `sgpd` box.
    ///
    /// - Throws: `ParseError`, with offsets from the start of the entry.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        try reader.skip(1, "reserved")
        encryption = try TrackEncryptionBox(fieldsOf: &reader, hasPattern: true)
    }

    /// The bytes of the entry.
    public var bytes: [UInt8] {
        var writer = BoxWriter()
        writer.write(UInt8(0))
        encryption.writeFields(to: &writer)
        return writer.bytes
    }
}

/// An entry of a `roll` group: the number of samples that must be decoded before the output is correct (ISO/IEC
/// 14496-12, 10.1).
///
///     roll_distance   2 bytes, signed
public struct RollGroupEntry: Hashable, Sendable {
    /// The roll distance. If negative, decoding must start this number of samples earlier; if positive, the output is
    /// correct this number of samples later.
    public var distance: Int16

    /// Reads an entry of an `sgpd` box.
    ///
    /// - Throws: `ParseError`, with offsets from the start of the entry.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        distance = Int16(bitPattern: try reader.readUInt16("roll distance"))
    }
}

/// An entry of a `rap ` group: samples at which decoding can start although they are not sync samples (ISO/IEC
/// 14496-12, 10.4).
///
///     num_leading_samples_known   1 bit
///     num_leading_samples         7 bits
public struct RandomAccessGroupEntry: Hashable, Sendable {
    /// The number of leading samples that follow; nil if it is not known.
    public var leadingSamples: UInt8?

    /// Reads an entry of an `sgpd` box.
    ///
    /// - Throws: `ParseError`, with offsets from the start of the entry.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let byte = try reader.readUInt8("number of leading samples")
        leadingSamples = byte >> 7 == 1 ? byte & 0x7F : nil
    }
}
