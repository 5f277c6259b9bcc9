public import ByteCoding

/// The header of a PES packet (ISO/IEC 13818-1, 2.4.3.6).
///
///     packet_start_code_prefix   24 bits   0x000001
///     stream_id                  8 bits
///     PES_packet_length          16 bits   of what follows; 0: not known, for video
///     '10' and flags             8 bits    bit 2: the access unit begins here
///     PTS_DTS_flags              2 bits    10: PTS, 11: PTS and DTS
///     flags                      6 bits
///     PES_header_data_length     8 bits
///     PTS, DTS                   40 bits each: '0010' or '0011' or '0001', 3 bits, 1, 15 bits, 1, 15 bits, 1
///     stuffing                   0xFF
public struct PESHeader: Hashable, Sendable {
    /// What kind of stream it is: 0xE0 video, 0xC0 audio, 0xBD private.
    public var streamID: UInt8
    /// The length of the payload in bytes; nil when it is not known.
    public var payloadLength: Int?
    /// Whether an access unit begins at the payload's first byte.
    public var isAligned: Bool
    /// When it is presented, in units of 1/90,000 second modulo 2^33; nil when nothing is said.
    public var presentationTime: UInt64?
    /// When it is decoded; nil when it is when it is presented.
    public var decodeTime: UInt64?

    /// Makes a header.
    public init(
        streamID: UInt8,
        payloadLength: Int? = nil,
        isAligned: Bool = true,
        presentationTime: UInt64?,
        decodeTime: UInt64? = nil
    ) {
        self.streamID = streamID
        self.payloadLength = payloadLength
        self.isAligned = isAligned
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime
    }

    /// The streams whose packets have no header beyond the length: maps, padding, private data 2 and the like.
    private static let bare: Set<UInt8> = [0xBC, 0xBE, 0xBF, 0xF0, 0xF1, 0xF2, 0xF8, 0xFF]

    /// Reads a header, after which the payload begins.
    ///
    /// - Throws: `ParseError`; `invalid-value` without the start code or with a marker bit that is not 1.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let start = reader.offset
        let code = try reader.readUInt32("start code of a PES packet")
        guard code >> 8 == 1 else {
            throw ParseError(
                .invalidValue,
                reading: "start code of a PES packet",
                offset: start,
                reason: "it is not 0x000001"
            )
        }
        streamID = UInt8(truncatingIfNeeded: code)
        let length = Int(try reader.readUInt16("length of a PES packet"))
        presentationTime = nil
        decodeTime = nil
        isAligned = false
        guard !Self.bare.contains(streamID) else {
            payloadLength = length
            return
        }
        let flags = try reader.readUInt8("flags of a PES packet")
        guard flags & 0xC0 == 0x80 else {
            throw ParseError(.invalidValue, reading: "flags of a PES packet", offset: start + 6, reason: "not MPEG-2")
        }
        isAligned = flags & 0x04 != 0
        let timeFlags = try reader.readUInt8("flags of a PES packet") >> 6
        let headerLength = Int(try reader.readUInt8("header length of a PES packet"))
        var header = try reader.split(headerLength, "header of a PES packet")
        if timeFlags & 2 != 0 { presentationTime = try Self.time(&header) }
        if timeFlags == 3 { decodeTime = try Self.time(&header) }
        guard length == 0 || length >= 3 + headerLength else {
            throw ParseError(
                .invalidLength,
                reading: "length of a PES packet",
                offset: start + 4,
                reason: "it is less than its header's"
            )
        }
        payloadLength = length == 0 ? nil : length - 3 - headerLength
    }

    private static func time(_ reader: inout ByteReader) throws(ParseError) -> UInt64 {
        let start = reader.offset
        let first = UInt64(try reader.readUInt8("timestamp"))
        let middle = UInt64(try reader.readUInt16("timestamp"))
        let last = UInt64(try reader.readUInt16("timestamp"))
        guard first & 1 == 1, middle & 1 == 1, last & 1 == 1 else {
            throw ParseError(
                .invalidValue,
                reading: "timestamp of a PES packet",
                offset: start,
                reason: "a marker bit is not 1"
            )
        }
        return (first >> 1 & 7) << 30 | (middle >> 1) << 15 | last >> 1
    }

    /// The greatest size of a header that is written here, in bytes.
    static let greatestSize = 19

    private var isDecodedLater: Bool { decodeTime != nil && decodeTime != presentationTime }

    /// The size of the header in bytes: 9, 14 or 19; 6 for a map, padding and the like, whose header ends with the
    /// length and has no flags and no times.
    public var size: Int {
        Self.bare.contains(streamID) ? 6 : presentationTime == nil ? 9 : isDecodedLater ? 19 : 14
    }

    /// The header's bytes. A length that does not fit into 16 bits is written as 0, which only video may have.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.greatestSize) { memory, count in
            write(to: UnsafeMutableRawBufferPointer(memory))
            count = size
        }
    }

    /// Writes the header to memory that has ``greatestSize`` bytes or more. Nothing is allocated.
    func write(to memory: UnsafeMutableRawBufferPointer) {
        let size = size
        let length = payloadLength.map { $0 + size - 6 } ?? 0
        let written = length > 0xFFFF ? 0 : UInt16(truncatingIfNeeded: length)
        let isLater = isDecodedLater
        let times: UInt8 = presentationTime == nil ? 0 : isLater ? 0xC0 : 0x80
        memory.storeBytes(of: (0x100 | UInt32(streamID)).bigEndian, toByteOffset: 0, as: UInt32.self)
        memory.storeBytes(of: written.bigEndian, toByteOffset: 4, as: UInt16.self)
        guard size > 6 else { return }
        memory[6] = isAligned ? 0x84 : 0x80
        memory[7] = times
        memory[8] = UInt8(size - 9)
        if let presentationTime { Self.write(presentationTime, prefix: isLater ? 3 : 2, to: memory, at: 9) }
        if isLater, let decodeTime { Self.write(decodeTime, prefix: 1, to: memory, at: 14) }
    }

    private static func write(_ time: UInt64, prefix: UInt8, to memory: UnsafeMutableRawBufferPointer, at offset: Int) {
        memory[offset] = prefix << 4 | UInt8(time >> 30 & 7) << 1 | 1
        memory[offset + 1] = UInt8(truncatingIfNeeded: time >> 22)
        memory[offset + 2] = UInt8(truncatingIfNeeded: time >> 14) | 1
        memory[offset + 3] = UInt8(truncatingIfNeeded: time >> 7)
        memory[offset + 4] = UInt8(truncatingIfNeeded: time << 1) | 1
    }
}

/// Unwraps timestamps of 33 bits, which start anew every 26.5 hours (ISO/IEC 13818-1, 2.4.3.7).
public struct TimestampUnwrapper: Hashable, Sendable {
    private var last: Int64?

    /// Starts with the first timestamp that comes.
    public init() {}

    /// The timestamp on a line without end: nearest to the one before.
    public mutating func unwrap(_ timestamp: UInt64) -> Int64 {
        let period: Int64 = 1 << 33
        let value = Int64(timestamp % (1 << 33))
        guard let last else {
            self.last = value
            return value
        }
        // The difference modulo 2^33, from minus a half to a half of the period.
        var step = (value - last) % period
        if step < -period / 2 { step += period }
        if step >= period / 2 { step -= period }
        self.last = last + step
        return last + step
    }
}
