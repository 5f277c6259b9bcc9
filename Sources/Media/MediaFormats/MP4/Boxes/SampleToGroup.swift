public import ByteCoding

/// An `sbgp` box: the groups of a type that samples belong to (ISO/IEC 14496-12, 8.9.2). The entries stay in the file.
///
///     grouping_type             4 bytes   seig, roll, rap
///     grouping_type_parameter   4 bytes   version 1
///     entry_count               4 bytes
///     sample_count              4 bytes   ┐ each entry
///     group_description_index   4 bytes   ┘ from 1; 0: none; above 0x10000: the table in the same fragment
public struct SampleToGroupBox: ListedBox, Hashable {
    /// The type of the box.
    public static let type: FourCC = "sbgp"
    /// The types that are read in this way.
    public static let types: [FourCC] = [type]
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

    /// Reads the type of the groups and the number of entries.
    public static func summary(reading reader: inout ByteReader, type _: FourCC) throws(ParseError) -> BoxSummary {
        let box = try Self(reading: &reader)
        return BoxSummary([BoxField("grouping_type", box.groupingType), BoxField("entry_count", box.entries.count)])
    }
}
