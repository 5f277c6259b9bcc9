public import ByteCoding

/// An `stco` or `co64` box: the offsets of chunks in the file (ISO/IEC 14496-12, 8.7.5).
///
///     entry_count    4 bytes
///     chunk_offset   4 bytes each in stco, 8 in co64
public struct ChunkOffsetBox: ListedBox, Hashable {
    /// The type of the box.
    public static let type: FourCC = "stco"
    /// The type of the box with offsets of 8 bytes.
    public static let longType: FourCC = "co64"
    /// The types of the boxes.
    public static let types: [FourCC] = [type, longType]
    /// The entries, 4 or 8 bytes each.
    public var entries: TableEntries

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader, type: FourCC) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: type, newest: 0)
        entries = try TableEntries(reading: &reader, entrySize: type == Self.longType ? 8 : 4, "chunk offsets")
    }

    /// Reads the number of entries.
    public static func summary(reading reader: inout ByteReader, type: FourCC) throws(ParseError) -> BoxSummary {
        BoxSummary([BoxField("entry_count", try Self(reading: &reader, type: type).entries.count)])
    }
}
