package import ByteCoding
import MediaFormats

/// An ID3 tag before packed audio (ID3 version 2.4, section 3), as a place in a file.
///
///     "ID3"      3 bytes
///     version    2 bytes
///     flags      1 byte
///     size       4 bytes of 7 bits   of what follows
///     frames     each: ID 4 bytes, size 4 bytes of 7 bits, flags 2 bytes, content
///     padding    0
package struct ID3Tag: Sendable {
    /// A frame of a tag.
    package struct Frame: Sendable {
        /// Four characters.
        package var id: String
        /// Where all of it lies, its header included.
        package var range: Range<Int>
        /// Where its content lies.
        package var content: Range<Int>
    }

    private static let headerSize = 10
    /// The owner of the private frame with the set-up of encrypted audio.
    private static let audioDescription = Array("com.apple.streaming.audioDescription\0".utf8)
    /// Where it lies, its header included.
    package let range: Range<Int>
    /// Its frames; empty when it has a form that packed audio never has.
    package let frames: [Frame]
    private let descriptions: [Range<Int>]

    /// Reads the tag that begins at `offset`; nil when none does.
    ///
    /// - Throws: `ParseError` `truncated` when it reaches beyond the end.
    package init?(_ file: RawSpan, at offset: Int) throws(ParseError) {
        guard Self.begins(file, offset) else { return nil }
        var reader = ByteReader(file.extracting(offset..<file.byteCount), base: offset)
        try reader.skip(3, "identifier of an ID3 tag")
        let version = try reader.readUInt8("version of an ID3 tag")
        try reader.skip(1, "revision of an ID3 tag")
        let flags = try reader.readUInt8("flags of an ID3 tag")
        let size = Self.syncsafe(try reader.readUInt32("size of an ID3 tag"))
        var content = try reader.split(size + (flags & 0x10 == 0 ? 0 : 10), "ID3 tag")
        range = offset..<reader.offset
        var frames: [Frame] = []
        var descriptions: [Range<Int>] = []
        // Unsynchronised tags and extended headers do not occur here.
        if version == 4 || version == 3, flags & 0xD0 == 0 {
            while content.remaining > Self.headerSize {
                let start = content.offset
                let id = try content.readBytes(4, "ID of an ID3 frame")
                if id[0] == 0 { break }
                let word = try content.readUInt32("size of an ID3 frame")
                let size = version == 4 ? Self.syncsafe(word) : Int(word)
                try content.skip(2, "flags of an ID3 frame")
                guard size <= content.remaining else { break }
                let place = content.offset..<content.offset + size
                try content.skip(size, "ID3 frame")
                let name = String(decoding: id, as: UTF8.self)
                let frame = Frame(id: name, range: start..<place.upperBound, content: place)
                frames.append(frame)
                let owner = place.prefix(Self.audioDescription.count)
                let isDescription = file.extracting(owner).withUnsafeBytes { $0.elementsEqual(Self.audioDescription) }
                if frame.id == "PRIV", isDescription { descriptions.append(frame.range) }
            }
        }
        self.frames = frames
        self.descriptions = descriptions
    }

    /// Takes the set-up of encrypted audio out of the tag, which keeps its size.
    func clear(in output: inout MutableRawSpan) {
        guard !descriptions.isEmpty, let start = frames.first?.range.lowerBound else { return }
        var kept: [UInt8] = []
        let end = range.upperBound
        for frame in frames where !descriptions.contains(frame.range) {
            output.bytes.extracting(frame.range).withUnsafeBytes { kept.append(contentsOf: $0) }
        }
        kept.append(contentsOf: repeatElement(0, count: end - start - kept.count))
        copy(kept, 0..<kept.count, to: &output, at: start)
    }

    /// Whether the header of a tag begins at `offset`.
    static func begins(_ file: RawSpan, _ offset: Int) -> Bool {
        guard file.byteCount - offset >= headerSize else { return false }
        func byte(_ index: Int) -> UInt8 { file.unsafeLoad(fromByteOffset: offset + index, as: UInt8.self) }
        return byte(0) == 0x49 && byte(1) == 0x44 && byte(2) == 0x33 && byte(3) < 0xFF && byte(4) < 0xFF
            && (byte(6) | byte(7) | byte(8) | byte(9)) & 0x80 == 0
    }

    private static func syncsafe(_ number: UInt32) -> Int {
        Int(number >> 24 & 127) << 21 | Int(number >> 16 & 127) << 14 | Int(number >> 8 & 127) << 7 | Int(number & 127)
    }
}
