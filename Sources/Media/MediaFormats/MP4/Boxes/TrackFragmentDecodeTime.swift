public import ByteCoding

/// A `tfdt` box: the decode time of the first sample in a track's fragment (ISO/IEC 14496-12, 8.8.12).
///
///     baseMediaDecodeTime   4 bytes in version 0, 8 in version 1
public struct TrackFragmentDecodeTimeBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "tfdt"

    /// The decode time in the timescale of the media.
    public var baseMediaDecodeTime: UInt64

    /// Creates a box.
    public init(baseMediaDecodeTime: UInt64) { self.baseMediaDecodeTime = baseMediaDecodeTime }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        baseMediaDecodeTime = try reader.readTime(header, "decode time of a fragment")
    }

    /// Writes the whole box, always in version 1, so that the size of a segment does not depend on its time.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, version: 1) { $0.write(baseMediaDecodeTime) }
    }

    /// The fields to display.
    public var fields: [BoxField] { [BoxField("baseMediaDecodeTime", baseMediaDecodeTime)] }
}
