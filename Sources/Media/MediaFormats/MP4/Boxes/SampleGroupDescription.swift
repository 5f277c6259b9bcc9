public import ByteCoding

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

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("grouping_type", groupingType), BoxField("entry_count", entries.count)] }
}
