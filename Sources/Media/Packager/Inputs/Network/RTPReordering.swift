/// Puts RTP packets with a transport stream in order (RFC 3550, 5.1; RFC 2250, 2). A value type without I/O.
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
///
/// A packet that is missing is waited for until ``window`` later packets have arrived; then it is lost.
struct RTPReordering: Sendable {
    /// The maximum number of packets that wait for a missing one.
    static let window = 64
    /// The distance of sequence numbers from which on the sender is assumed to have started again.
    private static let maximumDistance = 3000

    private struct Packet {
        var number: UInt16
        var source: UInt32
        var payload: [UInt8]
    }

    private var source: UInt32?
    /// The number of the next packet.
    private var next: UInt16 = 0
    private var waiting: [UInt16: [UInt8]] = [:]
    /// The number of packets that did not arrive in time.
    private(set) var lostCount = 0
    /// The number of datagrams that are not RTP packets with a transport stream.
    private(set) var invalidCount = 0

    /// Adds a datagram, and returns the payloads that are now in order.
    mutating func add(_ datagram: [UInt8]) -> [[UInt8]] {
        guard let packet = Self.parse(datagram) else {
            invalidCount += 1
            return []
        }
        var distance = Int(Int16(bitPattern: packet.number &- next))
        var payloads: [[UInt8]] = []
        if source != packet.source || distance.magnitude > Self.maximumDistance {
            payloads = source == nil ? [] : flush()
            (source, next, distance) = (packet.source, packet.number, 0)
        }
        // A duplicate, or too late.
        guard distance >= 0 else { return payloads }
        waiting[packet.number] = packet.payload
        payloads += takeInOrder()
        if waiting.count >= Self.window { payloads += skip() }
        return payloads
    }

    /// Returns the payloads that wait for missing packets, which are then lost.
    mutating func flush() -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        while !waiting.isEmpty { payloads += skip() }
        return payloads
    }

    private mutating func skip() -> [[UInt8]] {
        guard let nearest = waiting.keys.min(by: { $0 &- next < $1 &- next }) else { return [] }
        lostCount += Int(nearest &- next)
        next = nearest
        return takeInOrder()
    }

    private mutating func takeInOrder() -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        while let payload = waiting.removeValue(forKey: next) {
            payloads.append(payload)
            next &+= 1
        }
        return payloads
    }

    private static func parse(_ bytes: [UInt8]) -> Packet? {
        guard bytes.count >= 12, bytes[0] >> 6 == 2, bytes[1] & 0x7F == 33 else { return nil }
        var start = 12 + 4 * Int(bytes[0] & 15)
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
        return Packet(
            number: UInt16(bytes[2]) << 8 | UInt16(bytes[3]),
            source: bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) },
            payload: Array(bytes[start..<end])
        )
    }
}
