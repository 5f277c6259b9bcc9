public import ByteCoding

/// An `mehd` box: the duration of a fragmented presentation (ISO/IEC 14496-12, 8.8.2).
///
///     fragment_duration   4 bytes in version 0, 8 in version 1
public struct MovieExtendsHeaderBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "mehd"

    /// The duration in the timescale of the movie.
    public var fragmentDuration: UInt64

    /// Creates a box.
    public init(fragmentDuration: UInt64) { self.fragmentDuration = fragmentDuration }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        fragmentDuration = try reader.readTime(header, "duration of the mehd box")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        let version: UInt8 = fragmentDuration > UInt32.max ? 1 : 0
        writer.fullBox(Self.type, version: version) { $0.writeTime(fragmentDuration, version) }
    }

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("fragment_duration", fragmentDuration)] }
}
