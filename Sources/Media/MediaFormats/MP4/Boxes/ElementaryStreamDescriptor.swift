public import ByteCoding
import TextCoding

/// An `esds` box: the descriptors of an MPEG-4 elementary stream (ISO/IEC 14496-1, 7.2.6). Only the descriptors that a
/// packager requires are parsed.
///
///     ES_Descriptor              tag 3: ES_ID 2 bytes, flags 1; depending on the flags dependsOn_ES_ID 2,
///                                URL (length 1, text), OCR_ES_ID 2
///     DecoderConfigDescriptor    tag 4, in ES_Descriptor: objectTypeIndication 1, streamType 1, bufferSizeDB 3,
///                                maxBitrate 4, avgBitrate 4
///     DecoderSpecificInfo        tag 5, in DecoderConfigDescriptor: for AAC the AudioSpecificConfig
///
/// A descriptor begins with its tag and its size. The size has 1 to 4 bytes with 7 bits each; the highest bit is set in
/// all except the last.
public struct ElementaryStreamDescriptorBox: Box, Hashable {
    /// The type of the box.
    public static let type: FourCC = "esds"

    /// The object type: 0x40 is MPEG-4 audio, 0x66 to 0x68 are MPEG-2 AAC, 0x69 and 0x6B are MP3.
    public var objectType: UInt8
    /// The size of the decoding buffer in bytes, 24 bits; 0 if it is not known.
    public var bufferSize: UInt32
    /// The maximum bit rate in bits per second; 0 if it is not known.
    public var maximumBitRate: UInt32
    /// The average bit rate in bits per second; 0 if it is not known.
    public var averageBitRate: UInt32
    /// The decoder configuration, an AudioSpecificConfig for AAC; empty if the descriptor is missing.
    public var decoderSpecificInfo: [UInt8]

    /// Creates a box for an audio stream.
    public init(
        objectType: UInt8,
        decoderSpecificInfo: [UInt8],
        bufferSize: UInt32 = 0,
        maximumBitRate: UInt32 = 0,
        averageBitRate: UInt32 = 0
    ) {
        self.objectType = objectType
        self.bufferSize = bufferSize
        self.maximumBitRate = maximumBitRate
        self.averageBitRate = averageBitRate
        self.decoderSpecificInfo = decoderSpecificInfo
    }

    /// Reads the content of the box.
    ///
    /// - Throws: `ParseError`; `missing-box` if there is no decoder configuration.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        _ = try FullBoxHeader(reading: &reader, of: Self.type, newest: 0)
        let start = reader.offset
        var tag = try reader.readUInt8("tag of a descriptor")
        var size = try reader.readDescriptorSize()
        guard tag == 3 else { throw Self.missing("ES_Descriptor", start) }
        var stream = try reader.split(size, "ES_Descriptor")
        try stream.skip(2, "ES_ID")
        let flags = try stream.readUInt8("flags of an ES_Descriptor")
        if flags & 0x80 != 0 { try stream.skip(2, "dependsOn_ES_ID") }
        if flags & 0x40 != 0 { try stream.skip(Int(try stream.readUInt8("length of a URL")), "URL") }
        if flags & 0x20 != 0 { try stream.skip(2, "OCR_ES_ID") }
        while stream.remaining > 0 {
            tag = try stream.readUInt8("tag of a descriptor")
            size = try stream.readDescriptorSize()
            var descriptor = try stream.split(size, "descriptor \(tag)")
            guard tag == 4 else { continue }
            objectType = try descriptor.readUInt8("object type")
            bufferSize = try descriptor.readUInt32("stream type and buffer size") & 0xFF_FFFF
            maximumBitRate = try descriptor.readUInt32("maximum bit rate")
            averageBitRate = try descriptor.readUInt32("average bit rate")
            decoderSpecificInfo = []
            while descriptor.remaining > 0 {
                tag = try descriptor.readUInt8("tag of a descriptor")
                size = try descriptor.readDescriptorSize()
                let content = try descriptor.readBytes(size, "descriptor \(tag)")
                if tag == 5 { decoderSpecificInfo = content }
            }
            return
        }
        throw Self.missing("DecoderConfigDescriptor", start)
    }

    /// Writes the whole box for an audio stream, with descriptor sizes in as few bytes as possible. As MP4 files
    /// require, ES_ID is 0 and the SLConfigDescriptor is the predefined one (ISO/IEC 14496-14, 3.1.2).
    public func write(to writer: inout BoxWriter) {
        let specific = decoderSpecificInfo.isEmpty ? [] : Self.descriptor(5, decoderSpecificInfo)
        var config = BoxWriter(capacity: 64)
        config.write(objectType)
        // Stream type 5 is audio. The next bit is the upstream flag, and the lowest bit is reserved and 1.
        config.write(UInt32(0x15) << 24 | bufferSize & 0xFF_FFFF)
        config.write(maximumBitRate)
        config.write(averageBitRate)
        config.write(specific)
        let stream = [0, 0, 0] + Self.descriptor(4, config.bytes) + Self.descriptor(6, [2])
        writer.fullBox(Self.type) { $0.write(Self.descriptor(3, stream)) }
    }

    /// The fields to display.
    public var fields: [BoxField] {
        [
            BoxField("objectTypeIndication", "0x" + Hexadecimal.encode([objectType])),
            BoxField("decoderSpecificInfo", bytes: decoderSpecificInfo.prefix(64)),
        ]
    }

    private static func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var size = [UInt8(content.count & 0x7F)]
        var left = content.count >> 7
        while left > 0 {
            size.insert(UInt8(left & 0x7F) | 0x80, at: 0)
            left >>= 7
        }
        return [tag] + size + content
    }

    private static func missing(_ descriptor: String, _ offset: Int) -> ParseError {
        ParseError(.missingBox, reading: "esds box", offset: offset, reason: "the box has no \(descriptor)")
    }
}

extension ByteReader {
    fileprivate mutating func readDescriptorSize() throws(ParseError) -> Int {
        var size = 0
        for _ in 0..<4 {
            let byte = try readUInt8("size of a descriptor")
            size = size << 7 | Int(byte & 0x7F)
            if byte & 0x80 == 0 { break }
        }
        return size
    }
}
