public import ByteCoding

/// An `mfhd` box: the sequence number of a fragment (ISO/IEC 14496-12, 8.8.5).
///
///     sequence_number   4 bytes   from 1, ascending
public struct MovieFragmentHeaderBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "mfhd"

    /// The sequence number.
    public var sequenceNumber: UInt32

    /// Creates a box.
    public init(sequenceNumber: UInt32) { self.sequenceNumber = sequenceNumber }

    /// Reads the content of the box.
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

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("sequence_number", sequenceNumber)] }
}
