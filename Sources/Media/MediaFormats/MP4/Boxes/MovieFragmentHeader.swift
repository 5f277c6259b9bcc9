public import ByteCoding

/// `mfhd`: the number of a fragment (ISO/IEC 14496-12, 8.8.5).
///
///     sequence_number   4 bytes   from 1, ascending
public struct MovieFragmentHeaderBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "mfhd"

    /// The number.
    public var sequenceNumber: UInt32

    /// Makes a box.
    public init(sequenceNumber: UInt32) { self.sequenceNumber = sequenceNumber }

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        sequenceNumber = try reader.readUInt32("sequence number of a fragment")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { $0.write(sequenceNumber) }
    }
}
