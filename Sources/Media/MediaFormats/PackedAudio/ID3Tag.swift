public import ByteCoding

/// An ID3 tag, which begins each segment of packed audio in HLS (RFC 8216bis, 3.1.4). Versions 2.3 and 2.4 are read
/// (id3.org, ID3 tag version 2.3.0 and 2.4.0); version 2.4 is written.
///
///     header            10 bytes   see ``ID3Header``
///     extended header              if its flag is set; skipped
///     frames
///       frame ID        4 bytes
///       size            4 bytes    7 bits each in version 2.4
///       flags           2 bytes
///       content
///     padding                      zeros
///     footer            10 bytes   if its flag is set
///
/// Compressed and encrypted frames are skipped.
public struct ID3Tag: Hashable, Sendable {
    /// A frame of a tag.
    public struct Frame: Hashable, Sendable {
        /// The frame ID, for example `PRIV` or `TIT2`.
        public var id: FourCC
        /// The content of the frame, without unsynchronization.
        public var content: [UInt8]

        /// Creates a frame.
        public init(id: FourCC, content: [UInt8]) {
            self.id = id
            self.content = content
        }
    }

    /// The frames in the order of the tag.
    public var frames: [Frame]

    /// Creates a tag.
    public init(frames: [Frame] = []) { self.frames = frames }

    /// Reads a whole tag. A tag of version 2.2 is read as empty, because its frames are not supported.
    ///
    /// - Throws: `ParseError`; `invalid-value` if the bytes are not an ID3 tag, `truncated` if the tag or a frame is
    ///   truncated.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        frames = []
        let start = reader.offset
        let bytes = try reader.readBytes(ID3Header.size, "ID3 header")
        guard let header = ID3Header(bytes.span.bytes) else {
            throw ParseError(
                .invalidValue,
                reading: "ID3 header",
                offset: start,
                reason: "the bytes are not an ID3 header"
            )
        }
        let content = try reader.readBytes(header.contentSize, "ID3 tag")
        if header.hasFooter { try reader.skip(ID3Header.size, "ID3 footer") }
        guard (3...4).contains(header.version) else { return }
        // In version 2.3 the whole tag is unsynchronized; in version 2.4 each frame is unsynchronized separately.
        let isPlain = header.version == 4 || header.flags & 0x80 == 0
        let plain = isPlain ? content : Self.synchronized(content)
        var frameReader = ByteReader(plain.span.bytes, base: start + ID3Header.size)
        if header.flags & 0x40 != 0 { try Self.skipExtendedHeader(&frameReader, header) }
        while frameReader.remaining >= 10 {
            guard let frame = try Self.readFrame(&frameReader, header) else { break }
            if let content = frame.content { frames.append(Frame(id: frame.id, content: content)) }
        }
    }

    private static func skipExtendedHeader(_ reader: inout ByteReader, _ header: ID3Header) throws(ParseError) {
        let start = reader.offset
        let number = try reader.readUInt32("size of an extended header")
        if header.version == 3 { return try reader.skip(Int(number), "extended header") }
        guard let size = ID3Header.syncsafe(number), size >= 6 else {
            throw invalidSize("extended header", start, number)
        }
        try reader.skip(size - 4, "extended header")
    }

    private static func invalidSize(_ what: String, _ offset: Int, _ number: UInt32) -> ParseError {
        ParseError(
            .invalidLength,
            reading: "size of an ID3 \(what)",
            offset: offset,
            reason: "\(number) is not a valid size"
        )
    }

    /// Reads a frame. Returns nil at the start of the padding. The content is nil if the frame is compressed or
    /// encrypted.
    private static func readFrame(
        _ reader: inout ByteReader,
        _ header: ID3Header
    ) throws(ParseError) -> (id: FourCC, content: [UInt8]?)? {
        let id = try reader.readFourCC("frame ID")
        guard id.rawValue >> 24 != 0 else { return nil }
        let offset = reader.offset
        let number = try reader.readUInt32("size of an ID3 frame")
        let isVersion4 = header.version == 4
        guard let size = isVersion4 ? ID3Header.syncsafe(number) : Int(number) else {
            throw invalidSize("frame", offset, number)
        }
        let flags = try reader.readUInt16("flags of an ID3 frame")
        var content = try reader.split(size, "ID3 frame \(id)")
        guard flags & (isVersion4 ? 0x000C : 0x00C0) == 0 else { return (id, nil) }
        // Skips the group identifier and the data length indicator of the frame.
        if flags & (isVersion4 ? 0x0040 : 0x0020) != 0 { try content.skip(1, "group of an ID3 frame") }
        if isVersion4, flags & 1 != 0 { try content.skip(4, "data length of an ID3 frame") }
        let bytes = try content.readRest("ID3 frame \(id)")
        let isPlain = !isVersion4 || (flags & 2 == 0 && header.flags & 0x80 == 0)
        return (id, isPlain ? bytes : synchronized(bytes))
    }

    /// Removes the zero bytes that prevent a syncword after 0xFF.
    private static func synchronized(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var wasFF = false
        for byte in bytes {
            if !(wasFF && byte == 0) { result.append(byte) }
            wasFF = byte == 0xFF
        }
        return result
    }

    /// The encoded tag in version 2.4, without padding. The frames must have less than 256 MiB in total.
    public var bytes: [UInt8] {
        var content = BoxWriter(capacity: 128)
        for frame in frames {
            content.write(frame.id)
            content.write(ID3Header.syncsafe(frame.content.count))
            content.write(UInt16(0))
            content.write(frame.content)
        }
        var writer = BoxWriter(capacity: ID3Header.size + content.count)
        writer.write([0x49, 0x44, 0x33, 4, 0, 0] as [UInt8])
        writer.write(ID3Header.syncsafe(content.count))
        writer.write(content.bytes)
        return writer.bytes
    }
}

extension ID3Tag {
    /// Creates a private frame: the owner identifier, a zero byte, and the data (ID3 tag version 2.4.0, 4.27).
    public static func privateFrame(owner: String, _ content: [UInt8]) -> Frame {
        Frame(id: "PRIV", content: Array(owner.utf8) + [0] + content)
    }

    /// Returns the data of the first private frame of an owner, if any.
    public func privateContent(owner: String) -> [UInt8]? {
        let prefix = Array(owner.utf8) + [0]
        let frame = frames.first { $0.id == "PRIV" && $0.content.starts(with: prefix) }
        return frame.map { Array($0.content.dropFirst(prefix.count)) }
    }
}
