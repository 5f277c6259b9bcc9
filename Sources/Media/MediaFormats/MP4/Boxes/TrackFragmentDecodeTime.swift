public import ByteCoding

/// `tfdt`: when the first sample of a track's fragment is decoded (ISO/IEC 14496-12, 8.8.12).
///
///     baseMediaDecodeTime   4 bytes in version 0, 8 in version 1
public struct TrackFragmentDecodeTimeBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "tfdt"

    /// In the timescale of the media.
    public var baseMediaDecodeTime: UInt64

    /// Makes a box.
    public init(baseMediaDecodeTime: UInt64) { self.baseMediaDecodeTime = baseMediaDecodeTime }

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let header = try FullBoxHeader(reading: &reader, of: Self.type, newest: 1)
        baseMediaDecodeTime = try reader.readTime(header, "decode time of a fragment")
    }

    /// Always version 1, so that a segment's size does not depend on where it is.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, version: 1) { $0.write(baseMediaDecodeTime) }
    }
}
