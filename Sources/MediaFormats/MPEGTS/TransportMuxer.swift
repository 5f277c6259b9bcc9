/// Writes transport stream packets into one array (ISO/IEC 13818-1, 2.4.3). It keeps the continuity counters of its
/// PIDs, so that the segments of a stream follow one another.
public struct TransportMuxer: Sendable {
    /// The packets, each of 188 bytes.
    public private(set) var bytes: [UInt8] = []
    private var counters: [UInt16: UInt8] = [:]

    /// Starts with all counters at 0.
    public init() {}

    /// Forgets the packets, but keeps their room and the counters.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Makes room for more packets.
    public mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    /// Writes a table section into packets of its own.
    public mutating func writeSection(_ section: [UInt8], pid: UInt16) {
        // The pointer field says that the section begins at once; what is left is 0xFF.
        var payload = [0] + section
        payload += repeatElement(0xFF, count: (184 - payload.count % 184) % 184)
        var isStart = true
        for offset in stride(from: 0, to: payload.count, by: 184) {
            writeHeader(pid: pid, isStart: isStart, control: 0x10)
            bytes += payload[offset..<offset + 184]
            isStart = false
        }
    }

    /// Writes a PES packet: its header, then the payload in pieces.
    ///
    /// - Parameters:
    ///   - programClockReference: The clock to write into the first packet, in units of 1/27,000,000 second; nil for none.
    ///   - isRandomAccess: Whether decoding can start with this packet.
    public mutating func writePES(
        _ header: PESHeader,
        payload: RawSpan,
        pid: UInt16,
        programClockReference: UInt64? = nil,
        isRandomAccess: Bool = false
    ) {
        let head = header.bytes
        let total = head.count + payload.byteCount
        var written = 0
        var isFirst = true
        bytes.reserveCapacity(bytes.count + (total / 184 + 2) * 188)
        while written < total {
            let clock = isFirst ? programClockReference : nil
            let hasFlags = clock != nil || (isFirst && isRandomAccess)
            // The adaptation field: its length, its flags and the clock.
            var field = hasFlags ? (clock == nil ? 2 : 8) : 0
            let left = total - written
            if left < 184 - field { field = 184 - left }
            writeHeader(pid: pid, isStart: isFirst, control: field > 0 ? 0x30 : 0x10)
            if field > 0 { writeAdaptation(field, clock, isRandomAccess && isFirst) }
            let end = written + min(left, 184 - field)
            if written < head.count {
                bytes += head[written..<min(end, head.count)]
                if end > head.count { append(payload, 0..<end - head.count) }
            } else {
                append(payload, written - head.count..<end - head.count)
            }
            written = end
            isFirst = false
        }
    }

    private mutating func append(_ payload: RawSpan, _ range: Range<Int>) {
        payload.extracting(range).withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    @inline(__always)
    private mutating func writeHeader(pid: UInt16, isStart: Bool, control: UInt8) {
        let counter = counters[pid, default: 0]
        counters[pid] = (counter + 1) & 15
        bytes.append(TransportPacketHeader.syncByte)
        bytes.append((isStart ? 0x40 : 0) | UInt8(pid >> 8))
        bytes.append(UInt8(truncatingIfNeeded: pid))
        bytes.append(control | counter)
    }

    /// Writes an adaptation field that takes `size` bytes with its length.
    private mutating func writeAdaptation(_ size: Int, _ clock: UInt64?, _ isRandomAccess: Bool) {
        bytes.append(UInt8(size - 1))
        guard size > 1 else { return }
        bytes.append((isRandomAccess ? 0x40 : 0) | (clock == nil ? 0 : 0x10))
        var used = 2
        if let clock {
            let base = clock / 300 & 0x1_FFFF_FFFF
            let rest = clock % 300
            bytes += [
                UInt8(truncatingIfNeeded: base >> 25), UInt8(truncatingIfNeeded: base >> 17),
                UInt8(truncatingIfNeeded: base >> 9), UInt8(truncatingIfNeeded: base >> 1),
                UInt8(truncatingIfNeeded: base << 7) | 0x7E | UInt8(rest >> 8), UInt8(truncatingIfNeeded: rest),
            ]
            used += 6
        }
        bytes.append(contentsOf: repeatElement(0xFF, count: size - used))
    }
}
