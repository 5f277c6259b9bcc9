public import ByteCoding

// The media header boxes contain no information that a packager requires, but `minf` must contain one of them.

/// A `vmhd` box: the media header of a video track (ISO/IEC 14496-12, 12.1.2). Its flags are 1.
///
///     graphicsmode   2 bytes   0: copy
///     opcolor        6 bytes
public struct VideoMediaHeaderBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "vmhd"

    /// Creates a box.
    public init() {}

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        try reader.skip(8, "graphics mode of the vmhd box")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, flags: 1) { $0.zeros(8) }
    }

    /// The fields to display.
    public var fields: [BoxField] { [] }
}
