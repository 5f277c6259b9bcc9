import ByteCoding
import MediaFormats

/// Packets that are written into a buffer for a few packets are the same as those that the muxer writes at once.
func checkPacketizing(_ packets: [TransportDemuxer.Packet]) {
    var packetizer = TransportPacketizer()
    var muxer = TransportMuxer()
    for packet in packets {
        let header = PESHeader(
            streamID: 0xC0,
            payloadLength: packet.payload.count,
            isAligned: packet.isRandomAccess,
            presentationTime: packet.presentationTime.map { UInt64(bitPattern: $0) & (1 << 33 - 1) }
        )
        muxer.writePES(header, payload: packet.payload.span.bytes, pid: packet.pid)
        let written = write(packet, header, &packetizer)
        precondition(written == muxer.bytes)
        muxer.removeAll()
        if packet.offset % 5 == 0 { checkClock(packet.pid, &packetizer) }
        // After sixteen packets the continuity counter has the same value again.
        packetizer.skip(16 * packet.payload.count, pid: packet.pid)
    }
}

private func write(
    _ packet: TransportDemuxer.Packet,
    _ header: PESHeader,
    _ packetizer: inout TransportPacketizer
) -> [UInt8] {
    let payload = packet.payload.span.bytes
    var memory = [UInt8](repeating: 0xAA, count: 188 * (1 + packet.offset / 188 % 3))
    var span = memory.mutableSpan
    var output = span.mutableBytes
    var written: [UInt8] = []
    var end = 0
    let isBegun = packetizer.beginPES(
        header,
        payloadSize: payload.byteCount,
        pid: packet.pid,
        into: &output,
        at: &end
    )
    precondition(isBegun)
    var taken = 0
    while taken < payload.byteCount {
        let piece = payload.extracting(taken..<min(payload.byteCount, taken + 1 + packet.offset % 401))
        let count = packetizer.write(piece, into: &output, at: &end)
        taken += count
        if count == 0 {
            precondition(end == output.byteCount)
            written += output.withUnsafeBytes { Array($0) }
            end = 0
        }
    }
    return written + output.withUnsafeBytes { Array($0[..<end]) }
}

/// A packet that contains only a PCR is parsed as such, and writing it into a buffer that is too small fails.
private func checkClock(_ pid: UInt16, _ packetizer: inout TransportPacketizer) {
    var memory = [UInt8](repeating: 0xAA, count: 188)
    var end = 0
    do {
        var span = memory.mutableSpan
        var output = span.mutableBytes
        let clock = UInt64(pid) * 1_000_003
        let isWritten = packetizer.writePCR(clock, pid: pid, into: &output, at: &end)
        precondition(isWritten && end == 188)
        let isWrittenAgain = packetizer.writePCR(clock, pid: pid, into: &output, at: &end)
        precondition(!isWrittenAgain && end == 188)
    }
    guard let header = try? TransportPacketHeader(memory.span.bytes, at: 0) else {
        preconditionFailure("a packet that was written cannot be parsed")
    }
    precondition(header.pid == pid && header.programClockReference == UInt64(pid) * 1_000_003)
    precondition(header.payload == nil)
}
