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
}

/// An `smhd` box: the media header of an audio track (ISO/IEC 14496-12, 12.2.2).
///
///     balance    2 bytes   8.8, 0: center
///     reserved   2 bytes
public struct SoundMediaHeaderBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "smhd"

    /// Creates a box.
    public init() {}

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        try reader.skip(4, "balance of the smhd box")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { $0.zeros(4) }
    }
}

/// An `nmhd` box: the media header of a track without a specific media header, such as WebVTT (ISO/IEC 14496-12,
/// 8.4.5.2).
public struct NullMediaHeaderBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "nmhd"

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
}

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
}
