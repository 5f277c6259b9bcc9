import MediaFormats

/// Puts a PES packet that became smaller back into the transport packets that it came from. They stay where they are,
/// and as many: where bytes are left over the adaptation field grows, so that clocks, sizes and byte ranges stay right.
struct TransportPacketShrinking {
    /// How many packets of the PID carry no payload any more: as many numbers its continuity counter lags behind.
    private(set) var lag: UInt8 = 0

    /// A packet as it was.
    struct Packet {
        /// The offset of its first byte.
        var offset: Int
        /// Where its payload lies; empty when it has none.
        var payload: Range<Int>
    }

    /// Writes a payload into packets that had more room.
    mutating func write(_ bytes: [UInt8], to packets: [Packet], in output: inout MutableRawSpan) {
        var position = 0
        for packet in packets {
            let size = min(packet.payload.count, bytes.count - position)
            let surplus = packet.payload.count - size
            if surplus > 0 { stuff(packet, surplus, &output) }
            copy(bytes, position..<position + size, to: &output, at: packet.payload.upperBound - size)
            if size == 0, surplus > 0 { lag = (lag + 1) & 15 }
            setCounter(packet, &output)
            position += size
        }
    }

    /// Grows the adaptation field by `surplus` bytes.
    private func stuff(_ packet: Packet, _ surplus: Int, _ output: inout MutableRawSpan) {
        let hasField = packet.payload.lowerBound > packet.offset + 4
        let end = packet.payload.lowerBound + surplus
        output.withUnsafeMutableBytes { bytes in
            for index in packet.payload.lowerBound..<end { bytes[index] = 0xFF }
            let field = packet.offset + 4
            let length = end - field - 1
            // A field of one byte is its length alone; the flags come with the next byte.
            if length > 0, !hasField || bytes[field] == 0 { bytes[field + 1] = 0 }
            bytes[field] = UInt8(length)
            let hasPayload = surplus < packet.payload.count
            bytes[packet.offset + 3] = bytes[packet.offset + 3] & 0xCF | (hasPayload ? 0x30 : 0x20)
        }
    }

    private func setCounter(_ packet: Packet, _ output: inout MutableRawSpan) {
        guard lag > 0 else { return }
        output.withUnsafeMutableBytes { bytes in
            let byte = bytes[packet.offset + 3]
            bytes[packet.offset + 3] = byte & 0xF0 | ((byte &- lag) & 0x0F)
        }
    }
}
