public import ByteCoding

/// An `schm` box: the protection scheme of a track (ISO/IEC 14496-12, 8.12.5). It is in `sinf`.
///
///     scheme_type      4 bytes   cbcs, cenc, cens, cbc1
///     scheme_version   4 bytes   0x00010000
///     scheme_uri       text, 0   if flags 0x000001; not read
public struct SchemeTypeBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "schm"

    /// The type of the protection scheme.
    public var scheme: FourCC
    /// The version of the protection scheme.
    public var version: UInt32

    /// Creates a box.
    public init(scheme: FourCC, version: UInt32) {
        self.scheme = scheme
        self.version = version
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        scheme = try reader.readFourCC("scheme type")
        version = try reader.readUInt32("scheme version")
    }

    /// Writes the whole box, without a URI.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.write(scheme)
            writer.write(version)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("scheme_type", scheme)] }
}
