import ByteCoding

/// A multiplexer that writes transport stream packets to one array (ISO/IEC 13818-1, 2.4.3). It wraps
/// ``TransportPacketizer`` for callers that need the whole stream in memory.
public struct TransportMuxer: Sendable {
    private var memory: [UInt8] = []
    private var count = 0
    private var packetizer = TransportPacketizer()

    /// Creates a multiplexer with all continuity counters at 0.
    public init() {}

    /// The packets, 188 bytes each.
    public var bytes: [UInt8] { Array(memory[..<count]) }

    /// Removes the packets, and keeps the allocated memory and the continuity counters.
    public mutating func removeAll() { count = 0 }

    /// Reserves memory for `count` more bytes of packets.
    public mutating func reserve(_ count: Int) {
        let missing = self.count + count - memory.count
        if missing > 0 { memory.append(contentsOf: repeatElement(0, count: max(missing, memory.count / 2))) }
    }

    /// Writes a table section to separate packets.
    public mutating func writeSection(_ section: [UInt8], pid: UInt16) {
        write(packets: section.count / 184 + 1) { packetizer, output, offset in
            packetizer.writeSection(section, pid: pid, into: &output, at: &offset)
        }
    }

    /// Writes a PES packet.
    ///
    /// - Parameters:
    ///   - programClockReference: the program clock reference (PCR) of the first packet, in units of 1/27,000,000
    ///     second; nil for none.
    ///   - isRandomAccess: whether decoding can start at this packet.
    public mutating func writePES(
        _ header: PESHeader,
        payload: RawSpan,
        pid: UInt16,
        programClockReference: UInt64? = nil,
        isRandomAccess: Bool = false
    ) {
        let packets = TransportPacketizer.packetCount(
            size: header.size + payload.byteCount,
            hasClock: programClockReference != nil,
            isRandomAccess: isRandomAccess
        )
        write(packets: packets) { packetizer, output, offset in
            _ = packetizer.beginPES(
                header,
                payloadSize: payload.byteCount,
                pid: pid,
                programClockReference: programClockReference,
                isRandomAccess: isRandomAccess,
                into: &output,
                at: &offset
            )
            _ = packetizer.write(payload, into: &output, at: &offset)
        }
    }

    /// Reserves memory for packets and calls `body` to write them.
    private mutating func write(
        packets: Int,
        _ body: (inout TransportPacketizer, inout MutableRawSpan, inout Int) -> Void
    ) {
        reserve(packets * TransportPacketHeader.packetSize)
        // The array is moved out of the value, so that `body` can access both exclusively.
        var memory: [UInt8] = []
        swap(&memory, &self.memory)
        var span = memory.mutableSpan
        var output = span.mutableBytes
        body(&packetizer, &output, &count)
        swap(&memory, &self.memory)
    }
}
