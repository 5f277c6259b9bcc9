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

    /// The header's bytes. A length that does not fit into 16 bits is written as 0, which only video may have. The header of
    /// a map, of padding and the like ends with the length; it has no flags and no times.
    public var bytes: [UInt8] {
        let isDecodedLater = decodeTime != nil && decodeTime != presentationTime
        let headerLength = presentationTime == nil ? 0 : isDecodedLater ? 10 : 5
        let fields = Self.bare.contains(streamID) ? 0 : 3 + headerLength
        let length = payloadLength.map { $0 + fields } ?? 0
        let written = length > 0xFFFF ? 0 : length
        var bytes: [UInt8] = [0, 0, 1, streamID, UInt8(written >> 8), UInt8(truncatingIfNeeded: written)]
        guard fields > 0 else { return bytes }
        bytes += [
            isAligned ? 0x84 : 0x80, presentationTime == nil ? 0 : isDecodedLater ? 0xC0 : 0x80, UInt8(headerLength),
        ]
        if let presentationTime { bytes += Self.bytes(presentationTime, prefix: isDecodedLater ? 3 : 2) }
        if isDecodedLater, let decodeTime { bytes += Self.bytes(decodeTime, prefix: 1) }
        return bytes
    }

    private static func bytes(_ time: UInt64, prefix: UInt8) -> [UInt8] {
        [
            prefix << 4 | UInt8(time >> 30 & 7) << 1 | 1, UInt8(truncatingIfNeeded: time >> 22),
            UInt8(truncatingIfNeeded: time >> 14) | 1, UInt8(truncatingIfNeeded: time >> 7),
            UInt8(truncatingIfNeeded: time << 1) | 1,
        ]
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
