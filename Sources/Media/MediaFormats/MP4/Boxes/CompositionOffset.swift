public import ByteCoding

/// A `ctts` box: the composition offsets of samples, presentation time minus decode time (ISO/IEC 14496-12, 8.6.1.3).
///
///     entry_count     4 bytes
///     sample_count    4 bytes   ┐ each entry
///     sample_offset   4 bytes   ┘ unsigned in version 0, signed in version 1
public struct CompositionOffsetBox: TableBox, Hashable {
    /// The type of the box.
    public static let type: FourCC = "ctts"
    /// The entries, 8 bytes each.
    public var entries: TableEntries
    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        // Some writers use negative numbers in version 0, so both versions are read as signed.
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        entries = try TableEntries(reading: &reader, entrySize: 8, "ctts")
    }
}
