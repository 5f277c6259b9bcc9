import ByteCoding
import MediaFormats

/// The packets of 188 bytes of a transport stream whose packets are further apart: timestamps and checksums are removed.
final class PacketSource: ByteSource {
    /// The number of consecutive sync bytes that confirm a packet after damage.
    private static let requiredSyncBytes = 3

    private let source: any ByteSource
    private let distance: Int
    private var buffer: [UInt8] = []
    private var hasEnded = false

    /// Creates a source of packets.
    init(_ source: any ByteSource, distance: Int) {
        self.source = source
        self.distance = distance
    }

    var name: String { source.name }
    var byteCount: Int? { source.byteCount }
    var position: Int { source.position }

    /// Returns the first bytes of the source, with timestamps and checksums.
    func peek(_ count: Int) throws -> [UInt8] { try source.peek(count) }

    func next(_ body: (RawSpan) throws -> Void) throws -> Bool {
        while !hasEnded {
            hasEnded = try !source.next { chunk in chunk.withUnsafeBytes { buffer.append(contentsOf: $0) } }
            let packets = takePackets()
            guard !packets.isEmpty else { continue }
            try body(packets.span.bytes)
            return true
        }
        return false
    }

    /// Removes the complete packets from the buffer, and returns them without the bytes between them. Bytes without
    /// packets are skipped.
    private func takePackets() -> [UInt8] {
        let size = TransportPacketHeader.packetSize
        var packets: [UInt8] = []
        packets.reserveCapacity(buffer.count)
        var position = 0
        // A packet is taken only with the bytes behind it, so that the next one can be checked; except at the end.
        while position + (hasEnded ? size : Self.requiredSyncBytes * distance) <= buffer.count {
            guard isPacket(position) else {
                position += 1
                continue
            }
            packets += buffer[position..<position + size]
            position += distance
        }
        buffer.removeFirst(min(position, buffer.count))
        return packets
    }

    private func isPacket(_ position: Int) -> Bool {
        guard buffer[position] == TransportPacketHeader.syncByte else { return false }
        return (1..<Self.requiredSyncBytes).allSatisfy { index in
            let offset = position + index * distance
            return offset >= buffer.count || buffer[offset] == TransportPacketHeader.syncByte
        }
    }
}
