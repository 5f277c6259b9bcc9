public import ByteCoding

/// An `stts` box: the durations of samples (ISO/IEC 14496-12, 8.6.1.2).
///
///     entry_count    4 bytes
///     sample_count   4 bytes   ┐ each entry
///     sample_delta   4 bytes   ┘
public struct TimeToSampleBox: TableBox, Hashable {
    /// The type of the box.
    public static let type: FourCC = "stts"
    /// The entries, 8 bytes each.
    public var entries: TableEntries

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        entries = try TableEntries(reading: &reader, entrySize: 8, "stts")
    }
}
