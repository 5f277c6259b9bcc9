public import ByteCoding

/// An `elng` box: the language of a track (ISO/IEC 14496-12, 8.4.6).
///
///     extended_language   a BCP 47 tag, 0 at the end
public struct ExtendedLanguageBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "elng"

    /// The language as a BCP 47 tag, for example `de-CH`.
    public var language: String

    /// Creates a box.
    public init(language: String) { self.language = language }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        language = try reader.readString("extended language")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.write(language.utf8)
            writer.zeros(1)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("extended_language", language)] }
}
