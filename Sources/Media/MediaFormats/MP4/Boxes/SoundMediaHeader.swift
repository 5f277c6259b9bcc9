public import ByteCoding

/// An `smhd` box: the media header of an audio track (ISO/IEC 14496-12, 12.2.2).
///
///     balance    2 bytes   8.8, 0: center
///     reserved   2 bytes
public struct SoundMediaHeaderBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "smhd"

    /// Creates a box.
    public init() {}

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        try reader.skip(4, "balance of the smhd box")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { $0.zeros(4) }
    }

    /// The fields to display.
    public var fields: [BoxField] { [] }
}
