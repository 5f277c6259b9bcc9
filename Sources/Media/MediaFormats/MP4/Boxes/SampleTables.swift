public import ByteCoding

// The entries of a sample table stay in the memory-mapped file: a movie has hundreds of thousands of samples, which are
// read in order. A table is read as the offset and the number of its entries, and ``SampleTableCursor`` iterates over
// them.

/// The location of a table's entries in the input.
public struct TableEntries: Hashable, Sendable {
    /// The offset of the first entry in the input.
    public var offset: Int
    /// The number of entries.
    public var count: Int
    /// The size of an entry in bytes.
    public var entrySize: Int

    /// Reads an entry count of 4 bytes and skips the entries.
    ///
    /// - Throws: `ParseError` `invalid-length` if entries are missing.
    init(reading reader: inout ByteReader, entrySize: Int, _ field: String) throws(ParseError) {
        count = try reader.readCount(entrySize: entrySize, "number of entries of \(field)")
        offset = reader.offset
        self.entrySize = entrySize
        try reader.skip(count * entrySize, field)
    }

    /// An empty table.
    static let none = TableEntries()

    private init() { (offset, count, entrySize) = (0, 0, 1) }
}

/// An `stts` box: the durations of samples (ISO/IEC 14496-12, 8.6.1.2).
///
///     entry_count    4 bytes
///     sample_count   4 bytes   ┐ each entry
///     sample_delta   4 bytes   ┘
public struct TimeToSampleBox: Hashable, Sendable {
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

/// A `ctts` box: the composition offsets of samples, presentation time minus decode time (ISO/IEC 14496-12, 8.6.1.3).
///
///     entry_count     4 bytes
///     sample_count    4 bytes   ┐ each entry
///     sample_offset   4 bytes   ┘ unsigned in version 0, signed in version 1
public struct CompositionOffsetBox: Hashable, Sendable {
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

/// An `stsc` box: the numbers of samples in chunks (ISO/IEC 14496-12, 8.7.4).
///
///     entry_count                4 bytes
///     first_chunk                4 bytes   ┐
///     samples_per_chunk          4 bytes   │ each entry
///     sample_description_index   4 bytes   ┘ from 1
public struct SampleToChunkBox: Hashable, Sendable {
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

/// An `stsz` or `stz2` box: the sizes of samples (ISO/IEC 14496-12, 8.7.3).
///
///     stsz: sample_size   4 bytes   0: see entry_size
///           sample_count  4 bytes
///           entry_size    4 bytes   each, if sample_size is 0
///
///     stz2: reserved      3 bytes
///           field_size    1 byte    4, 8 or 16 bits
///           sample_count  4 bytes
///           entry_size    field_size bits each
public struct SampleSizeBox: Hashable, Sendable {
    /// The type of the box.
    public static let type: FourCC = "stsz"
    /// The type of the compact box.
    public static let compactType: FourCC = "stz2"
    /// The size of every sample in bytes; 0 if the sizes differ.
    public var sampleSize: UInt32
    /// The number of samples.
    public var sampleCount: Int
    /// The offset of the sizes in the input.
    public var offset: Int
    /// The size of an entry in bits: 4, 8, 16 or 32; 0 if there are no entries.
    public var fieldSize: Int

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`; `invalid-length` if entries are missing.
    public init(reading reader: inout ByteReader, type: FourCC) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: type, newest: 0)
        if type == Self.compactType {
            sampleSize = 0
            let start = reader.offset
            fieldSize = Int(try reader.readUInt32("field size of the stz2 box") & 0xFF)
            guard fieldSize == 4 || fieldSize == 8 || fieldSize == 16 else {
                throw ParseError(
                    .invalidValue,
                    reading: "field size of the stz2 box",
                    offset: start,
                    reason: "the field size is \(fieldSize), must be 4, 8 or 16"
                )
            }
        } else {
            sampleSize = try reader.readUInt32("sample size")
            fieldSize = sampleSize == 0 ? 32 : 0
        }
        let start = reader.offset
        sampleCount = Int(try reader.readUInt32("number of samples"))
        offset = reader.offset
        let needed = (sampleCount * fieldSize + 7) / 8
        guard needed <= reader.remaining else {
            throw ParseError(
                .invalidLength,
                reading: "number of samples in the \(type) box",
                offset: start,
                reason: "\(sampleCount) sizes do not fit in the \(reader.remaining) bytes that are left"
            )
        }
        try reader.skip(needed, "sample sizes")
    }
}

/// An `stco` or `co64` box: the offsets of chunks in the file (ISO/IEC 14496-12, 8.7.5).
///
///     entry_count    4 bytes
///     chunk_offset   4 bytes each in stco, 8 in co64
public struct ChunkOffsetBox: Hashable, Sendable {
    /// The type of the box.
    public static let type: FourCC = "stco"
    /// The type of the box with offsets of 8 bytes.
    public static let longType: FourCC = "co64"
    /// The entries, 4 or 8 bytes each.
    public var entries: TableEntries

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader, type: FourCC) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: type, newest: 0)
        entries = try TableEntries(reading: &reader, entrySize: type == Self.longType ? 8 : 4, "chunk offsets")
    }
}

/// An `stss` box: the sync samples (ISO/IEC 14496-12, 8.6.2). Without the box, all samples are sync samples.
///
///     entry_count     4 bytes
///     sample_number   4 bytes each, from 1, ascending
public struct SyncSampleBox: Hashable, Sendable {
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
