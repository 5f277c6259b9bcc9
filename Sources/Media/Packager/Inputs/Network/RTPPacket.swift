/// An RTP packet with a transport stream (RFC 3550, 5.1; RFC 2250, 2).
///
///     version           2 bits    2
///     padding           1 bit     the last byte is the size of padding at the end
///     extension         1 bit     an extension follows the contributing sources
///     CSRC count        4 bits
///     marker            1 bit
///     payload type      7 bits    33: transport stream packets
///     sequence number   16 bits
///     timestamp         32 bits
///     SSRC              32 bits
///     CSRC              32 bits each
///     extension         16 bits, length in units of 32 bits (16 bits), content
struct RTPPacket: Equatable {
    /// The size of the header without contributing sources and extension, in bytes.
    private static let headerSize = 12
    /// The payload type of transport streams (RFC 3551, 6).
    private static let payloadType: UInt8 = 33

    /// The sequence number.
    var number: UInt16
    /// The synchronization source (SSRC).
    var source: UInt32
    /// The transport stream packets.
    var payload: [UInt8]

    /// Parses a datagram; nil if it is not an RTP packet with a transport stream.
    init?(parsing bytes: [UInt8]) {
        guard bytes.count >= Self.headerSize, bytes[0] >> 6 == 2, bytes[1] & 0x7F == Self.payloadType else {
            return nil
        }
        var start = Self.headerSize + 4 * Int(bytes[0] & 15)
        if bytes[0] & 0x10 != 0 {
            guard bytes.count >= start + 4 else { return nil }
            start += 4 + 4 * (Int(bytes[start + 2]) << 8 | Int(bytes[start + 3]))
        }
        var end = bytes.count
        if bytes[0] & 0x20 != 0 {
            guard let padding = bytes.last, padding > 0 else { return nil }
            end -= Int(padding)
        }
        guard start <= end else { return nil }
        number = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        source = bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
        payload = Array(bytes[start..<end])
    }
}
