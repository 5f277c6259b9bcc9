public import ByteCoding

/// An `stss` box: the sync samples (ISO/IEC 14496-12, 8.6.2). Without the box, all samples are sync samples.
///
///     entry_count     4 bytes
///     sample_number   4 bytes each, from 1, ascending
public struct SyncSampleBox: TableBox, Hashable {
    /// The type of the box.
    public static let type: FourCC = "stss"
    /// The entries, 4 bytes each.
    public var entries: TableEntries

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        entries = try TableEntries(reading: &reader, entrySize: 4, "stss")
    }
}
