import ByteCoding
import MediaFormats

// Transport streams: the demuxer gives the same result for chunks of any size; its output is unchanged after muxing and
// demuxing; tables and headers that were parsed can be written and parsed again.

/// Tests one stream unchanged, and with corrected sync bytes and checksums, because a fuzzer does not find checksums.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    checkDemuxing(input)
    let repaired = repaired(input)
    checkPackets(repaired)
    if repaired != input { checkDemuxing(repaired) }
    return 0
}

/// The result of demuxing.
struct Demuxed: Equatable {
    var packets: [TransportDemuxer.Packet] = []
    var map: ProgramMapTable?
    var damage = 0
    /// The error; nil if the end was reached.
    var error: (any Error)?

    /// Demuxes a stream that arrives `size` bytes at a time.
    init(_ input: [UInt8], pieces size: Int, limits: TransportDemuxer.Limits = .init()) {
        var demuxer = TransportDemuxer(limits: limits)
        do {
            for start in stride(from: 0, to: input.count, by: size) {
                let piece = input.span.bytes.extracting(start..<min(input.count, start + size))
                try demuxer.feed(piece) { packets.append($0) }
            }
            try demuxer.finish { packets.append($0) }
        } catch {
            self.error = error
        }
        map = demuxer.programMap
        damage = demuxer.damage
    }

    static func == (left: Demuxed, right: Demuxed) -> Bool {
        left.packets.elementsEqual(right.packets) {
            isSame($0, $1) && $0.offset == $1.offset && $0.isDamaged == $1.isDamaged
        }
            && left.map == right.map && left.damage == right.damage
            && (left.error as? ParseError)?.description == (right.error as? ParseError)?.description
    }
}

/// Returns whether payload and timestamps are equal.
func isSame(_ left: TransportDemuxer.Packet, _ right: TransportDemuxer.Packet) -> Bool {
    left.pid == right.pid && left.presentationTime == right.presentationTime && left.decodeTime == right.decodeTime
        && left.isRandomAccess == right.isRandomAccess && left.payload == right.payload
}

func checkDemuxing(_ input: [UInt8]) {
    let whole = Demuxed(input, pieces: max(1, input.count))
    // A different size for each input.
    let size = 1 + input.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % 397
    let pieces = Demuxed(input, pieces: size)
    precondition(whole == pieces, "different results in chunks of \(size)")
    precondition(whole.packets.reduce(0) { $0 + $1.payload.count } <= input.count)
    precondition(whole.packets.allSatisfy { (0..<input.count).contains($0.offset) && $0.offset % 188 == 0 })
    precondition(whole.damage <= 2 * (input.count / 188 + 1))
    checkLimits(input, whole)
    if whole.error == nil {
        checkMuxing(whole.packets)
        checkPacketizing(whole.packets)
    }
}

/// With narrow limits the result is the same, or an error after the preceding packets.
func checkLimits(_ input: [UInt8], _ whole: Demuxed) {
    var limits = TransportDemuxer.Limits()
    (limits.packetSize, limits.preamble) = (300, 3 * 188)
    let limited = Demuxed(input, pieces: max(1, input.count), limits: limits)
    precondition(limited.error != nil || limited == whole)
    // A packet that ends inside one that is too large is returned before it.
    precondition(limited.packets.count <= whole.packets.count || whole.error != nil)
}

/// Checks that the muxer's output is demuxed in order and without errors.
func checkMuxing(_ packets: [TransportDemuxer.Packet]) {
    let pids = Set(packets.map(\.pid)).sorted()
    // More streams do not fit into one table.
    guard pids.count <= 150, let mapPID = (0x20..<0x1FFF).first(where: { !pids.contains($0) }) else { return }
    let map = ProgramMapTable(pcrPID: pids.first ?? 0x1FFF, streams: pids.map { .init(type: .privatePES, pid: $0) })
    var muxer = TransportMuxer()
    muxer.writeSection(ProgramAssociationTable(programs: [(1, mapPID)]).bytes, pid: 0)
    muxer.writeSection(map.bytes, pid: mapPID)
    func wrapped(_ time: Int64?) -> UInt64? { time.map { UInt64(bitPattern: $0) & (1 << 33 - 1) } }
    var clocks: [UInt64] = []
    for packet in packets {
        let header = PESHeader(
            streamID: 0xE0,
            // Longer packets do not declare their length, and are merged with the following data.
            payloadLength: packet.payload.count,
            isAligned: packet.isRandomAccess,
            presentationTime: wrapped(packet.presentationTime),
            decodeTime: wrapped(packet.decodeTime)
        )
        guard packet.payload.count < 1 << 16 - 32 else { return }
        let clock =
            packet.offset % 3 == 0 ? wrapped(packet.decodeTime).map { $0 * 300 + UInt64(packet.pid % 300) } : nil
        if let clock { clocks.append(clock) }
        muxer.writePES(
            header,
            payload: packet.payload.span.bytes,
            pid: packet.pid,
            programClockReference: clock,
            isRandomAccess: packet.isRandomAccess
        )
    }
    let again = Demuxed(muxer.bytes, pieces: muxer.bytes.count)
    precondition(again.error == nil && again.damage == 0, "\(again.error as Any), \(again.damage) damaged")
    precondition(again.map == map)
    precondition(again.packets.elementsEqual(packets, by: isSame))
    precondition(!again.packets.contains(where: \.isDamaged))
    var read: [UInt64] = []
    for offset in stride(from: 0, to: muxer.bytes.count, by: 188) {
        guard let header = try? TransportPacketHeader(muxer.bytes.span.bytes, at: offset) else {
            preconditionFailure("a packet that was written cannot be parsed")
        }
        if let clock = header.programClockReference { read.append(clock) }
    }
    precondition(read == clocks)
}
