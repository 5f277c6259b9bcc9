import MediaFormats

/// Writes a PES packet that became smaller back to its transport packets. The number and the offsets of the packets do
/// not change. Unused bytes are added to the adaptation field as stuffing, so that PCR positions, sizes and byte ranges
/// stay valid.
struct TransportPacketRewriter {
    /// The number of packets of the PID that no longer have a payload, modulo 16. Their continuity counters decrease by
    /// this number.
    private(set) var lag: UInt8 = 0

    /// A transport packet of the original file.
    struct Packet {
        /// The offset of the packet's first byte in the file.
        var offset: Int
        /// The range of the payload in the file; empty if there is none.
        var payload: Range<Int>
    }

    /// Writes a payload to packets whose payloads had at least its size.
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

    /// Increases the size of the adaptation field by `surplus` bytes.
    private func stuff(_ packet: Packet, _ surplus: Int, _ output: inout MutableRawSpan) {
        let hasField = packet.payload.lowerBound > packet.offset + 4
        let end = packet.payload.lowerBound + surplus
        output.withUnsafeMutableBytes { bytes in
            for index in packet.payload.lowerBound..<end { bytes[index] = 0xFF }
            let field = packet.offset + 4
            let length = end - field - 1
            // A field of one byte contains only its length. With a second byte it also contains the flags.
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
