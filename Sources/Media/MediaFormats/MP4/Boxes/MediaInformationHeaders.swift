public import ByteCoding

// The media header boxes say nothing that a packager needs, but one of them has to stand in `minf`.

/// `vmhd`: a track is video (ISO/IEC 14496-12, 12.1.2). Flags 1.
///
///     graphicsmode   2 bytes   0: copy
///     opcolor        6 bytes
public struct VideoMediaHeaderBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "vmhd"

    /// Makes a box.
    public init() {}

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        try reader.skip(8, "graphics mode of a vmhd box")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, flags: 1) { $0.zeros(8) }
    }
}

/// `smhd`: a track is audio (ISO/IEC 14496-12, 12.2.2).
///
///     balance    2 bytes   8.8, 0: the middle
///     reserved   2 bytes
public struct SoundMediaHeaderBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "smhd"

    /// Makes a box.
    public init() {}

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        try reader.skip(4, "balance of a smhd box")
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { $0.zeros(4) }
    }
}

/// `nmhd`: a track is of a kind that has no media header of its own, such as WebVTT (ISO/IEC 14496-12, 8.4.5.2).
public struct NullMediaHeaderBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "nmhd"

    /// Makes a box.
    public init() {}

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) { writer.fullBox(Self.type) { _ in } }
}

/// `sthd`: a track is subtitles (ISO/IEC 14496-12, 12.6.2).
public struct SubtitleMediaHeaderBox: Box, Hashable {
    /// The type.
    public static let type: FourCC = "sthd"

    /// Makes a box.
    public init() {}

    /// Reads the content.
    ///
    /// - Throws: `ParseError`.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
    }

    /// Writes the whole box.
    public func write(to writer: inout BoxWriter) { writer.fullBox(Self.type) { _ in } }
}
