public import ByteCoding

/// The header of a transport stream packet of 188 bytes (ISO/IEC 13818-1, 2.4.3.2), with the supported fields of its
/// adaptation field (2.4.3.4).
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

    /// True if the packet was damaged in transmission (transport_error_indicator).
    public var hasError: Bool
    /// True if a PES packet or a table section begins in the packet (payload_unit_start_indicator).
    public var isUnitStart: Bool
    /// The packet identifier (PID), 13 bits.
    public var pid: UInt16
    /// True if a conditional access system has scrambled the packet.
    public var isScrambled: Bool
    /// The continuity counter: the number of packets of the PID with a payload, modulo 16.
    public var continuityCounter: UInt8
    /// True if the continuity counter or the clock can be discontinuous at this packet.
    public var isDiscontinuity: Bool
    /// True if decoding can start at this packet (random_access_indicator).
    public var isRandomAccess: Bool
    /// The program clock reference (PCR) in units of 1/27,000,000 second, if any.
    public var programClockReference: UInt64?
    /// The range of the payload in the packet, if any.
    public var payload: Range<Int>?

    /// Reads the packet that begins at `offset`.
    ///
    /// - Throws: `ParseError` with the code `truncated`; `invalid-value` if the sync byte is wrong; `invalid-length` if
    ///   the adaptation field does not fit in the packet.
    @inline(__always)
    public init(_ bytes: RawSpan, at offset: Int) throws(ParseError) {
        // Inlined, because a movie of 1 GB has five million packets, and most fields are not used.
        guard offset >= 0, bytes.byteCount - offset >= Self.packetSize else {
            throw ParseError(
                .truncated,
                reading: "transport stream packet",
                offset: offset,
                reason: "expected 188 bytes"
            )
        }
        func byte(_ index: Int) -> UInt8 { bytes.unsafeLoad(fromByteOffset: offset + index, as: UInt8.self) }
        let word = UInt32(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
        guard UInt8(word >> 24) == Self.syncByte else {
            throw ParseError(
                .invalidValue,
                reading: "sync byte of a transport stream packet",
                offset: offset,
                reason: "the sync byte must be 0x47"
            )
        }
        hasError = word & 0x80_0000 != 0
        isUnitStart = word & 0x40_0000 != 0
        pid = UInt16(word >> 8 & 0x1FFF)
        isScrambled = word & 0xC0 != 0
        continuityCounter = UInt8(word & 0x0F)
        isDiscontinuity = false
        isRandomAccess = false
        programClockReference = nil
        var start = 4
        if word & 0x20 != 0 {
            let length = Int(byte(4))
            // At most 183 without a payload, at most 182 with a payload.
            guard length <= (word & 0x10 == 0 ? 183 : 182) else {
                throw ParseError(
                    .invalidLength,
                    reading: "adaptation field",
                    offset: offset + 4,
                    reason: "the field is longer than the packet"
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
                            reason: "the adaptation field is too short for it"
                        )
                    }
                    let base =
                        UInt64(byte(6)) << 25 | UInt64(byte(7)) << 17 | UInt64(byte(8)) << 9 | UInt64(byte(9)) << 1
                        | UInt64(byte(10) >> 7)
                    programClockReference = base * 300 + (UInt64(byte(10) & 1) << 8 | UInt64(byte(11)))
                }
            }
        }
        payload = word & 0x10 == 0 ? nil : start..<Self.packetSize
    }
}

/// PIDs that the standard reserves (ISO/IEC 13818-1, table 2-3).
public enum ReservedPID {
    /// The PID of the program association table.
    public static let programAssociation: UInt16 = 0
    /// The PID of null packets.
    public static let null: UInt16 = 0x1FFF
}
