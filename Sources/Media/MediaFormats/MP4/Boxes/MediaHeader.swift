public import ByteCoding

/// An `mdhd` box: the header of a track's media (ISO/IEC 14496-12, 8.4.2). Version 1 has 8 bytes where version 0 has 4.
///
///     creation_time, modification_time   4 or 8 bytes each
///     timescale                          4 bytes        units per second
///     duration                           4 or 8 bytes
///     language                           2 bytes        1 bit 0, then three letters of 5 bits, each minus 0x60
///     pre_defined                        2 bytes
public struct MediaHeaderBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "mdhd"

    /// The timescale of the samples' times, in units per second.
    public var timescale: UInt32
    /// The duration of the media in units of ``timescale``.
    public var duration: UInt64
    /// The language as three letters of ISO 639-2/T; `und` if it is not known.
    public var language: String

    /// Creates a box.
    public init(timescale: UInt32, duration: UInt64 = 0, language: String = "und") {
        self.timescale = timescale
        self.duration = duration
        self.language = language
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        try reader.skip(header.version == 0 ? 8 : 16, "times of the mdhd box")
        timescale = try reader.readTimescale(Self.type)
        duration = try reader.readTime(header, "duration of the mdhd box")
        language = Self.language(try reader.readUInt16("language"))
        try reader.skip(2, "pre-defined")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        let version: UInt8 = duration > UInt32.max ? 1 : 0
        writer.fullBox(Self.type, version: version) { writer in
            writer.zeros(version == 0 ? 8 : 16)
            writer.write(timescale)
            writer.writeTime(duration, version)
            writer.write(Self.code(language))
            writer.zeros(2)
        }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [BoxField("timescale", timescale), BoxField("duration", duration), BoxField("language", language)]
    }

    /// Decodes a language code. QuickTime has numbers below 0x400, of which 0 is English.
    private static func language(_ code: UInt16) -> String {
        let letters = [10, 5, 0].map { UInt8(code >> UInt16($0) & 31) }
        guard letters.allSatisfy({ (1...26).contains($0) }) else { return code == 0 ? "eng" : "und" }
        return String(decoding: letters.map { $0 + 0x60 }, as: UTF8.self)
    }

    private static func code(_ language: String) -> UInt16 {
        let letters = Array(language.utf8)
        guard letters.count == 3, letters.allSatisfy({ (0x61...0x7A).contains($0) }) else { return code("und") }
        return letters.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
    }
}
