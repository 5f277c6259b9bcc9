public import ByteCoding

/// A `kind` box: the role of a track, such as captions or a commentary (ISO/IEC 14496-12, 8.10.4). It is in the `udta`
/// box of the track; a track can have several.
///
///     schemeURI   text, 0   for example urn:mpeg:dash:role:2011
///     value       text, 0   a name that the scheme defines
public struct KindBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "kind"

    /// The URI of the scheme, which defines the roles.
    public var schemeURI: String
    /// The role, which the scheme defines.
    public var value: String

    /// Creates a box.
    public init(schemeURI: String, value: String) {
        self.schemeURI = schemeURI
        self.value = value
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        schemeURI = try reader.readString("scheme of a role")
        value = try reader.readString("role of a track")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            for text in [schemeURI, value] {
                writer.write(text.utf8)
                writer.zeros(1)
            }
        }
    }

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("schemeURI", schemeURI), BoxField("value", value)] }
}
