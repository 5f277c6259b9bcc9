public import ByteCoding

/// The header of a transport stream packet of 188 bytes (ISO/IEC 13818-1, 2.4.3.2), with what matters of its adaptation
/// field (2.4.3.4).
///
///     sync_byte                            8 bits    0x47
///     transport_error_indicator            1 bit
///     payload_unit_start_indicator         1 bit
///     transport_priority                   1 bit
///     PID                                  13 bits
///     transport_scrambling_control         2 bits
///     adaptation_field_control             2 bits    bit 1: adaptation field, bit 0: payload
///     continuity_counter                   4 bits
///
///     adaptation_field_length              8 bits    ┐
///     discontinuity_indicator              1 bit     │
///     random_access_indicator              1 bit     │ if there is an adaptation field,
///     elementary_stream_priority           1 bit     │ and if its length is not 0
///     PCR_flag and four more               5 bits    │
///     program_clock_reference_base         33 bits   │ if PCR_flag
///     reserved                             6 bits    │
///     program_clock_reference_extension    9 bits    │
///     stuffing                             0xFF      ┘
public struct TransportPacketHeader: Hashable, Sendable {
    /// The size of a packet in bytes.
    public static let packetSize = 188
    /// The first byte of every packet.
    public static let syncByte: UInt8 = 0x47

    /// Whether the packet was damaged on its way.
    public var hasError: Bool
    /// Whether a PES packet or a table section begins in it.
    public var isUnitStart: Bool
    /// Which stream it belongs to: 13 bits.
    public var pid: UInt16
    /// Whether it is scrambled by a conditional access system.
    public var isScrambled: Bool
    /// Counts the packets of a PID that have a payload, modulo 16.
    public var continuityCounter: UInt8
    /// Whether counters and clocks may jump here.
    public var isDiscontinuity: Bool
    /// Whether decoding can start here.
    public var isRandomAccess: Bool
    /// The program clock reference in units of 1/27,000,000 second; nil when there is none.
    public var programClockReference: UInt64?
    /// Where the payload lies in the packet; nil when there is none.
    public var payload: Range<Int>?

    /// Reads the packet that begins at `offset`.
    ///
    /// - Throws: `ParseError` `truncated`; `invalid-value` without the sync byte; `invalid-length` when the adaptation
    ///   field does not fit.
    public init(_ bytes: RawSpan, at offset: Int) throws(ParseError) {
        guard offset >= 0, bytes.byteCount - offset >= Self.packetSize else {
            throw ParseError(
                .truncated,
                reading: "transport stream packet",
                offset: offset,
                reason: "188 bytes expected"
            )
        }
        func byte(_ index: Int) -> UInt8 { bytes.unsafeLoad(fromByteOffset: offset + index, as: UInt8.self) }
        guard byte(0) == Self.syncByte else {
            throw ParseError(
                .invalidValue,
                reading: "sync byte of a transport stream packet",
                offset: offset,
                reason: "it is not 0x47"
            )
        }
        hasError = byte(1) & 0x80 != 0
        isUnitStart = byte(1) & 0x40 != 0
        pid = UInt16(byte(1) & 0x1F) << 8 | UInt16(byte(2))
        isScrambled = byte(3) & 0xC0 != 0
        continuityCounter = byte(3) & 0x0F
        isDiscontinuity = false
        isRandomAccess = false
        programClockReference = nil
        var start = 4
        if byte(3) & 0x20 != 0 {
            let length = Int(byte(4))
            // 183 when there is no payload, at most 182 when there is.
            guard length <= (byte(3) & 0x10 == 0 ? 183 : 182) else {
                throw ParseError(
                    .invalidLength,
                    reading: "adaptation field",
                    offset: offset + 4,
                    reason: "it is longer than the packet"
                )
            }
            start += 1 + length
            if length > 0 {
                isDiscontinuity = byte(5) & 0x80 != 0
                isRandomAccess = byte(5) & 0x40 != 0
                if byte(5) & 0x10 != 0 {
                    guard length >= 7 else {
                        throw ParseError(
                            .invalidLength,
                            reading: "program clock reference",
                            offset: offset + 6,
                            reason: "it is cut off"
                        )
                    }
                    let base =
                        UInt64(byte(6)) << 25 | UInt64(byte(7)) << 17 | UInt64(byte(8)) << 9 | UInt64(byte(9)) << 1
                        | UInt64(byte(10) >> 7)
                    programClockReference = base * 300 + (UInt64(byte(10) & 1) << 8 | UInt64(byte(11)))
                }
            }
        }
        payload = byte(3) & 0x10 == 0 ? nil : start..<Self.packetSize
    }
}

/// PIDs with a meaning of their own (ISO/IEC 13818-1, table 2-3).
public enum ReservedPID {
    /// The program association table.
    public static let programAssociation: UInt16 = 0
    /// Packets without meaning.
    public static let null: UInt16 = 0x1FFF
}
