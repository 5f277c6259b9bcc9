import MediaFormats

/// The positions of the packets of a transport stream (ISO/IEC 13818-1, 2.4.3.2).
struct PacketLayout: Hashable {
    /// The offset of the first packet.
    var start: Int
    /// The distance between packets: 188 bytes; 192 with a timestamp of 4 bytes before each packet, as in M2TS files of
    /// camcorders and Blu-ray discs; 204 with 16 bytes of checksums after each packet.
    var distance: Int

    static let distances = [188, 192, 204]
    /// The number of sync bytes, a distance apart, that identify a stream behind other bytes.
    private static let requiredPackets = 8

    /// Finds packets that fill the bytes; nil if there are none. The stream may start in the middle of a packet.
    init?(_ head: [UInt8]) {
        for distance in Self.distances {
            for start in 0..<min(distance, head.count) where head[start] == TransportPacketHeader.syncByte {
                let offsets = stride(from: start, to: head.count, by: distance)
                guard offsets.allSatisfy({ head[$0] == TransportPacketHeader.syncByte }) else { continue }
                let count = (head.count - start + distance - 1) / distance
                guard count >= 4 || start == 0 && head.count >= distance else { continue }
                (self.start, self.distance) = (start, distance)
                return
            }
        }
        return nil
    }

    /// Finds packets behind bytes that are not part of the stream; nil if there are none.
    init?(searching bytes: [UInt8]) {
        for start in bytes.indices where bytes[start] == TransportPacketHeader.syncByte {
            for distance in Self.distances {
                let last = start + (Self.requiredPackets - 1) * distance
                guard last < bytes.count,
                    stride(from: start, through: last, by: distance).allSatisfy({
                        bytes[$0] == TransportPacketHeader.syncByte
                    })
                else { continue }
                (self.start, self.distance) = (start, distance)
                return
            }
        }
        return nil
    }
}
