public import ByteCoding

/// An `stsc` box: the numbers of samples in chunks (ISO/IEC 14496-12, 8.7.4).
///
///     entry_count                4 bytes
///     first_chunk                4 bytes   ┐
///     samples_per_chunk          4 bytes   │ each entry
///     sample_description_index   4 bytes   ┘ from 1
public struct SampleToChunkBox: TableBox, Hashable {
    /// The type of the box.
    public static let type: FourCC = "stsc"
    /// The entries, 12 bytes each.
    public var entries: TableEntries

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        entries = try TableEntries(reading: &reader, entrySize: 12, "stsc")
    }
}
