public import ByteCoding

/// A message of an SEI NAL unit (ITU-T H.264, 7.3.2.3.1; H.265, 7.3.5). The messages that packagers use are decoded.
public enum SEIMessage: Hashable, Sendable {
    /// Payload type 6: decoding can start here, and the output is correct after the given number of frames (H.264) or
    /// pictures (HEVC).
    case recoveryPoint(frames: Int, isExact: Bool)
    /// Payload type 147: transfer characteristics that take precedence over those of the VUI.
    case alternativeTransfer(UInt8)
    /// Payload type 137: the content of an `mdcv` box.
    case masteringDisplay(MasteringDisplayBox)
    /// Payload type 144: the content of a `clli` box.
    case contentLightLevel(ContentLightLevelBox)
    /// Payload type 4: closed captions in registered user data.
    case closedCaptions(ClosedCaptionData)
    /// Any other payload, with its type and its size in bytes.
    case other(type: Int, size: Int)

    /// Reads the messages of a NAL unit.
    ///
    ///     ff_byte              8 bits   0xFF, each adds 255 to the type
    ///     last_type_byte       8 bits
    ///     ff_byte              8 bits   0xFF, each adds 255 to the size
    ///     last_size_byte       8 bits
    ///     payload              size bytes
    ///
    /// - Parameters:
    ///   - unit: the NAL unit, including its header and emulation prevention bytes.
    ///   - headerSize: the size of the NAL unit header in bytes: 1 in H.264, 2 in HEVC.
    ///   - base: the offset of its first byte, for errors.
    /// - Throws: `ParseError` `truncated` if a message extends beyond the NAL unit.
    public static func messages(_ unit: RawSpan, headerSize: Int, base: Int = 0) throws(ParseError) -> [SEIMessage] {
        var reader = BitReader(unit, base: base)
        try reader.skip(bits: headerSize * 8, "NAL unit header")
        var messages: [SEIMessage] = []
        // The last nonzero byte contains the stop bit.
        var end = unit.byteCount
        while end > 0, unit.unsafeLoad(fromByteOffset: end - 1, as: UInt8.self) == 0 { end -= 1 }
        while reader.bytesTouched < end - 1 {
            let type = try number(&reader, "payload type")
            let size = try number(&reader, "payload size")
            let payloadEnd = reader.bitsRead + size * 8
            messages.append(try message(&reader, type, size, isHEVC: headerSize == 2))
            guard payloadEnd >= reader.bitsRead else {
                throw reader.failure(.invalidLength, "SEI message", "the payload of \(size) bytes is too short")
            }
            try reader.skip(bits: payloadEnd - reader.bitsRead, "SEI payload")
        }
        return messages
    }

    private static func number(_ reader: inout BitReader, _ field: String) throws(ParseError) -> Int {
        var number = 0
        while true {
            let byte = try reader.readInt(8, field)
            number += byte
            if byte != 255 { return number }
        }
    }

    private static func message(
        _ reader: inout BitReader,
        _ type: Int,
        _ size: Int,
        isHEVC: Bool
    ) throws(ParseError) -> SEIMessage {
        switch (type, size) {
        case (6, 1...):
            let frames =
                isHEVC ? max(0, try reader.readSE("recovery_poc_cnt")) : try reader.readUE("recovery_frame_cnt")
            return .recoveryPoint(frames: frames, isExact: try reader.readFlag("exact_match_flag"))
        case (147, 1...):
            return .alternativeTransfer(UInt8(truncatingIfNeeded: try reader.readBits(8, "preferred transfer")))
        case (137, 24...), (144, 4...):
            var bytes: [UInt8] = []
            for _ in 0..<(type == 137 ? 24 : 4) {
                bytes.append(UInt8(truncatingIfNeeded: try reader.readBits(8, "SEI payload")))
            }
            var content = ByteReader(bytes.span.bytes)
            if type == 137 { return .masteringDisplay(try MasteringDisplayBox(reading: &content)) }
            return .contentLightLevel(try ContentLightLevelBox(reading: &content))
        case (4, 10...1024):
            var bytes: [UInt8] = []
            for _ in 0..<size { bytes.append(UInt8(truncatingIfNeeded: try reader.readBits(8, "SEI payload"))) }
            return ClosedCaptionData(payload: bytes).map { .closedCaptions($0) } ?? .other(type: type, size: size)
        default: return .other(type: type, size: size)
        }
    }
}
