public import ByteCoding

/// The header of a PES packet (ISO/IEC 13818-1, 2.4.3.6).
///
///     packet_start_code_prefix   24 bits   0x000001
///     stream_id                  8 bits
///     PES_packet_length          16 bits   of the bytes that follow; 0: unknown, only for video
///     '10' and flags             8 bits    bit 2: data_alignment_indicator
///     PTS_DTS_flags              2 bits    10: PTS, 11: PTS and DTS
///     flags                      6 bits
///     PES_header_data_length     8 bits
///     PTS, DTS                   40 bits each: '0010' or '0011' or '0001', 3 bits, 1, 15 bits, 1, 15 bits, 1
///     stuffing                   0xFF
public struct PESHeader: Hashable, Sendable {
    /// The stream ID: 0xE0 for video, 0xC0 for audio, 0xBD for private stream 1.
    public var streamID: UInt8
    /// The size of the payload in bytes; nil if it is unknown.
    public var payloadLength: Int?
    /// True if the payload begins with an access unit (data_alignment_indicator).
    public var isAligned: Bool
    /// The presentation timestamp (PTS) in units of 1/90,000 second modulo 2^33, if any.
    public var presentationTime: UInt64?
    /// The decoding timestamp (DTS) in units of 1/90,000 second modulo 2^33; nil if it equals the presentation
    /// timestamp.
    public var decodeTime: UInt64?

    /// Creates a header.
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

    /// The stream IDs whose packets have no header after the length: program_stream_map, padding_stream,
    /// private_stream_2 and others.
    private static let streamIDsWithoutHeader: Set<UInt8> = [0xBC, 0xBE, 0xBF, 0xF0, 0xF1, 0xF2, 0xF8, 0xFF]

    /// Reads a header. The reader is at the payload afterwards.
    ///
    /// - Throws: `ParseError`; `invalid-value` if there is no start code or a marker bit is not 1.
    public init(reading reader: inout ByteReader) throws(ParseError) {
        let start = reader.offset
        let code = try reader.readUInt32("start code of a PES packet")
        guard code >> 8 == 1 else {
            throw ParseError(
                .invalidValue,
                reading: "start code of a PES packet",
                offset: start,
                reason: "the start code must be 0x000001"
            )
        }
        streamID = UInt8(truncatingIfNeeded: code)
        let length = Int(try reader.readUInt16("length of a PES packet"))
        presentationTime = nil
        decodeTime = nil
        isAligned = false
        guard !Self.streamIDsWithoutHeader.contains(streamID) else {
            payloadLength = length
            return
        }
        let flags = try reader.readUInt8("flags of a PES packet")
        guard flags & 0xC0 == 0x80 else {
            throw ParseError(
                .invalidValue,
                reading: "flags of a PES packet",
                offset: start + 6,
                reason: "the first two bits must be 10, as in MPEG-2"
            )
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
                reason: "the packet length is less than the length of the header"
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
                reason: "a marker bit is 0, must be 1"
            )
        }
        return (first >> 1 & 7) << 30 | (middle >> 1) << 15 | last >> 1
    }

    /// The maximum size in bytes of a header that ``write(to:)`` writes.
    static let maximumSize = 19

    private var isDecodedLater: Bool { decodeTime != nil && decodeTime != presentationTime }

    /// The size of the header in bytes: 9, 14 or 19; 6 for the stream IDs whose header ends with the length, such as
    /// padding_stream.
    public var size: Int {
        Self.streamIDsWithoutHeader.contains(streamID) ? 6 : presentationTime == nil ? 9 : isDecodedLater ? 19 : 14
    }

    /// The header's bytes. A length that does not fit in 16 bits is written as 0, which is allowed only for video.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.maximumSize) { memory, count in
            write(to: UnsafeMutableRawBufferPointer(memory))
            count = size
        }
    }

    /// Writes the header to memory of at least ``maximumSize`` bytes, without allocating memory.
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

/// Unwraps 33-bit timestamps, which wrap around every 26.5 hours (ISO/IEC 13818-1, 2.4.3.7).
public struct TimestampUnwrapper: Hashable, Sendable {
    private var last: Int64?

    /// Creates an unwrapper. The first timestamp is returned unchanged.
    public init() {}

    /// Returns the timestamp without wraparound: the value that is nearest to the previous one, in units of 1/90,000
    /// second.
    public mutating func unwrap(_ timestamp: UInt64) -> Int64 {
        let time = step(to: timestamp).map { (last ?? 0) + $0 } ?? Int64(timestamp % (1 << 33))
        last = time
        return time
    }

    /// Returns the difference between a timestamp and the previous one, between minus half and half of the period of
    /// 2^33; nil for the first timestamp.
    func step(to timestamp: UInt64) -> Int64? {
        guard let last else { return nil }
        let period: Int64 = 1 << 33
        var step = (Int64(timestamp % (1 << 33)) - last) % period
        if step < -period / 2 { step += period }
        if step >= period / 2 { step -= period }
        return step
    }
}
