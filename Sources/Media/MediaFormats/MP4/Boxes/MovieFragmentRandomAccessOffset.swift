public import ByteCoding

/// An `mfro` box: the size of the enclosing `mfra` box, for finding that box from the end of the file (ISO/IEC 14496-12,
/// 8.8.11).
///
///     size   4 bytes
public struct MovieFragmentRandomAccessOffsetBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "mfro"

    /// The size of the mfra box in bytes.
    public var size: UInt32

    /// Creates a box.
    public init(size: UInt32) { self.size = size }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        size = try reader.readUInt32("size of the mfra box")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) { writer.fullBox(Self.type) { $0.write(size) } }

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("size", size)] }
}
