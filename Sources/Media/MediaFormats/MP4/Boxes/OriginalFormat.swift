public import ByteCoding

/// A `frma` box: the type of a protected sample entry without its protection (ISO/IEC 14496-12, 8.12.3). It is in
/// `sinf`, and in QuickTime's `wave`.
///
///     data_format   4 bytes
public struct OriginalFormatBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "frma"

    /// The type of the sample entry without protection, for example `avc1`.
    public var format: FourCC

    /// Creates a box.
    public init(format: FourCC) { self.format = format }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        format = try reader.readFourCC("original format")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) { writer.box(Self.type) { $0.write(format) } }

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("data_format", format)] }
}
