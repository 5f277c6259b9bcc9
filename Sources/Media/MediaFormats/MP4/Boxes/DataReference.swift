public import ByteCoding

/// A `dref` box: the files that contain the samples of a track (ISO/IEC 14496-12, 8.7.2). It is in `dinf`.
///
///     entry_count   4 bytes
///     entries       full boxes: url, urn, alis; flags 1: in this file
public struct DataReferenceBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "dref"

    /// The entries. Sample entries refer to them by index, from 1.
    public var entries: [RawBox]

    /// Creates a box with one entry for this file.
    public init() { entries = [RawBox(type: "url ", content: [0, 0, 0, 1])] }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        // Entries have a version and flags after their headers. An entry without them is preserved.
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

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("entry_count", entries.count)] }

    /// Reads the number of entries. The entries follow.
    public static func summary(reading reader: inout ByteReader, type: FourCC) throws(ParseError) -> BoxSummary {
        _ = try FullBoxHeader(reading: &reader, of: type, newest: 1)
        return BoxSummary(
            [BoxField("entry_count", try reader.readUInt32("number of entries"))],
            content: .boxes
        )
    }

    /// Returns whether the entry at an index, from 1, refers to this file. A missing entry also counts, because some
    /// writers omit the table.
    public func isSelfContained(_ index: UInt16) -> Bool {
        guard index > 0, Int(index) <= entries.count else { return true }
        let content = entries[Int(index) - 1].content
        return content.count >= 4 && content[3] & 1 != 0
    }
}
