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

/// A box that contains a table, whose entries a listing counts.
public protocol TableBox: ListedBox {
    /// The type of the box.
    static var type: FourCC { get }
    /// The entries of the table.
    var entries: TableEntries { get }
    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    init(reading reader: inout ByteReader) throws(ParseError)
}

extension TableBox {
    /// The type of the box.
    public static var types: [FourCC] { [type] }

    /// Reads the number of entries.
    public static func summary(reading reader: inout ByteReader, type _: FourCC) throws(ParseError) -> BoxSummary {
        BoxSummary([BoxField("entry_count", try Self(reading: &reader).entries.count)])
    }
}
