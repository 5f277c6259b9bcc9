public import ByteCoding

/// An ID3 tag: what begins each segment of packed audio in HLS (RFC 8216bis, 3.1.4). Versions 2.3 and 2.4 are read
/// (id3.org, ID3 tag version 2.3.0 and 2.4.0); version 2.4 is written.
///
///     header            10 bytes   see ``ID3Header``
///     extended header              when a flag says so; passed over
///     frames
///       frame ID        4 bytes
///       size            4 bytes    7 bits each in version 2.4
///       flags           2 bytes
///       content
///     padding                      zeros
///     footer            10 bytes   when a flag says so
///
/// Frames that are compressed or encrypted are passed over.
public struct ID3Tag: Hashable, Sendable {
    /// A frame of a tag.
    public struct Frame: Hashable, Sendable {
        /// What it is: `PRIV`, `TIT2`.
        public var id: FourCC
        /// What is in it, unsynchronization undone.
        public var content: [UInt8]

        /// Makes a frame.
        public init(id: FourCC, content: [UInt8]) {
            self.id = id
            self.content = content
        }
    }

    /// The frames in their order.
    public var frames: [Frame]

    /// Makes a tag.
    public init(frames: [Frame] = []) { self.frames = frames }

    /// Reads a tag to its end. One of version 2.2 has no frames of a kind that is known here, so it is read as empty.
    ///
    /// - Throws: `ParseError`; `invalid-value` when it is no ID3 tag, `truncated` when it or a frame is cut short.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        frames = []
        let start = reader.offset
        let bytes = try reader.readBytes(ID3Header.size, "ID3 header")
        guard let header = ID3Header(bytes.span.bytes) else {
            throw ParseError(
                .invalidValue,
                reading: "ID3 header",
                offset: start,
                reason: "it is not that of an ID3 tag"
            )
        }
        let content = try reader.readBytes(header.contentSize, "ID3 tag")
        if header.hasFooter { try reader.skip(ID3Header.size, "ID3 footer") }
        guard (3...4).contains(header.version) else { return }
        // In version 2.3 the whole tag is unsynchronized, in version 2.4 each frame is by itself.
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
        guard let size = ID3Header.syncsafe(number), size >= 6 else { throw badSize("extended header", start, number) }
        try reader.skip(size - 4, "extended header")
    }

    private static func badSize(_ what: String, _ offset: Int, _ number: UInt32) -> ParseError {
        ParseError(.invalidLength, reading: "size of an ID3 \(what)", offset: offset, reason: "\(number) is none")
    }

    /// Reads a frame; nil where padding begins. Its content is nil when it is compressed or encrypted.
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
            throw badSize("frame", offset, number)
        }
        let flags = try reader.readUInt16("flags of an ID3 frame")
        var content = try reader.split(size, "ID3 frame \(id)")
        guard flags & (isVersion4 ? 0x000C : 0x00C0) == 0 else { return (id, nil) }
        // The group that the frame belongs to, and its size without unsynchronization.
        if flags & (isVersion4 ? 0x0040 : 0x0020) != 0 { try content.skip(1, "group of an ID3 frame") }
        if isVersion4, flags & 1 != 0 { try content.skip(4, "data length of an ID3 frame") }
        let bytes = try content.readRest("ID3 frame \(id)")
        let isPlain = !isVersion4 || (flags & 2 == 0 && header.flags & 0x80 == 0)
        return (id, isPlain ? bytes : synchronized(bytes))
    }

    /// Takes out the zeros that keep 0xFF from looking like a syncword.
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

    /// The whole tag in version 2.4, without padding. Frames together must be below 256 MiB.
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
    /// A private frame: whom it concerns, a 0, and bytes (ID3 tag version 2.4.0, 4.27).
    public static func privateFrame(owner: String, _ content: [UInt8]) -> Frame {
        Frame(id: "PRIV", content: Array(owner.utf8) + [0] + content)
    }

    /// What the first private frame of an owner has; nil when there is none.
    public func privateContent(owner: String) -> [UInt8]? {
        let prefix = Array(owner.utf8) + [0]
        let frame = frames.first { $0.id == "PRIV" && $0.content.starts(with: prefix) }
        return frame.map { Array($0.content.dropFirst(prefix.count)) }
    }
}
