public import ByteCoding

/// An `sthd` box: the media header of a subtitle track (ISO/IEC 14496-12, 12.6.2).
public struct SubtitleMediaHeaderBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "sthd"

    /// Creates a box.
    public init() {}

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) { writer.fullBox(Self.type) { _ in } }

    /// The fields to display.
    public var fields: [BoxField] { [] }
}
