public import ByteCoding

/// `dref`: in which files the samples of a track lie (ISO/IEC 14496-12, 8.7.2). It stands in `dinf`.
///
///     entry_count   4 bytes
///     entries       full boxes: url, urn, alis; flags 1: in this file
public struct DataReferenceBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "dref"

    /// The entries; sample entries refer to them by number, from 1.
    public var entries: [RawBox]

    /// Makes a box with one entry: this file.
    public init() { entries = [RawBox(type: "url ", content: [0, 0, 0, 1])] }

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        // An entry has version and flags behind its header; one that lacks them is kept as it is.
        let count = try reader.readCount(entrySize: 8, "number of data references")
        entries = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let header = try BoxHeader(reading: &reader)
            var content = try reader.split(header.contentSize(of: reader.remaining), "\(header.type) box in dref")
            entries.append(try RawBox(header, reading: &content))
        }
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.write(UInt32(entries.count))
            for entry in entries { entry.write(to: &writer) }
        }
    }

    /// Whether a reference, from 1, is to this file. One that is missing counts as such: some writers leave the table
    /// out.
    public func isSelfContained(_ index: UInt16) -> Bool {
        guard index > 0, Int(index) <= entries.count else { return true }
        let content = entries[Int(index) - 1].content
        return content.count >= 4 && content[3] & 1 != 0
    }
}
