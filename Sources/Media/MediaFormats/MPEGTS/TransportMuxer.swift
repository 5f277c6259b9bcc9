import ByteCoding

/// Writes transport stream packets into one array (ISO/IEC 13818-1, 2.4.3): what ``TransportPacketizer`` does, for
/// those who want the whole stream in memory.
public struct TransportMuxer: Sendable {
    private var memory: [UInt8] = []
    private var count = 0
    private var packetizer = TransportPacketizer()

    /// Starts with all counters at 0.
    public init() {}

    /// The packets, each of 188 bytes.
    public var bytes: [UInt8] { Array(memory[..<count]) }

    /// Forgets the packets, but keeps their room and the counters.
    public mutating func removeAll() { count = 0 }

    /// Makes room for more packets.
    public mutating func reserve(_ count: Int) {
        let missing = self.count + count - memory.count
        if missing > 0 { memory.append(contentsOf: repeatElement(0, count: max(missing, memory.count / 2))) }
    }

    /// Writes a table section into packets of its own.
    public mutating func writeSection(_ section: [UInt8], pid: UInt16) {
        write(packets: section.count / 184 + 1) { packetizer, output, offset in
            packetizer.writeSection(section, pid: pid, into: &output, at: &offset)
        }
    }

    /// Writes a PES packet.
    ///
    /// - Parameters:
    ///   - programClockReference: The clock to write into the first packet, in units of 1/27,000,000 second; nil for
    ///     none.
    ///   - isRandomAccess: Whether decoding can start with this packet.
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

    /// Makes room for packets and has them written behind the others.
    private mutating func write(
        packets: Int,
        _ body: (inout TransportPacketizer, inout MutableRawSpan, inout Int) -> Void
    ) {
        reserve(packets * TransportPacketHeader.packetSize)
        // Taken out of the value, so that it can be lent while the others change.
        var memory: [UInt8] = []
        swap(&memory, &self.memory)
        var span = memory.mutableSpan
        var output = span.mutableBytes
        body(&packetizer, &output, &count)
        swap(&memory, &self.memory)
    }
}
