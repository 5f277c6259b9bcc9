/// Writes transport stream packets to the caller's memory (ISO/IEC 13818-1, 2.4.3), as fast as their payload can be
/// copied. It keeps the continuity counters of its PIDs, so that the segments of a stream follow one another.
///
/// A PES packet is begun, which fixes its size, and then written piece by piece. No piece is kept, and none has to lie
/// beside the next one. When the memory is full, `write` takes less than it was given, and goes on in the next call:
///
///     packetizer.beginPES(header, payloadSize: size, pid: 0x100, into: &output, at: &end)
///     let taken = packetizer.write(piece, into: &output, at: &end)
///
/// Packets are always complete when memory is full, and when a PES packet is: its last packet is filled up with
/// stuffing in front of the payload.
public struct TransportPacketizer: Sendable {
    /// How many bytes of payload a packet without adaptation field has.
    static let payloadSize = 184

    /// The counter of each PID's next packet with payload.
    private var counters: [UInt16: UInt8] = [:]
    /// The PES packet on its way: the first 4 bytes of its packets, less the counter, as they lie in memory.
    private var prefix: UInt32 = 0
    private var pid: UInt16 = 0
    private var counter: UInt8 = 0
    /// How many of its bytes are not written yet.
    private var left = 0
    /// How many of these the packet takes that was begun last.
    private var room = 0

    /// Starts with all counters at 0.
    public init() {}

    /// Whether a PES packet was begun whose payload is not complete.
    public var isOpen: Bool { left > 0 }

    /// Writes a table section into packets of its own.
    ///
    /// - Parameters:
    ///   - output: Where to write.
    ///   - offset: Where in `output` to begin; behind the last packet then.
    /// - Returns: False when there was no room; nothing has changed then.
    @discardableResult
    public mutating func writeSection(
        _ section: [UInt8],
        pid: UInt16,
        into output: inout MutableRawSpan,
        at offset: inout Int
    ) -> Bool {
        // The pointer field says that the section begins at once; what is left is 0xFF.
        let count = section.count / Self.payloadSize + 1
        guard !isOpen, hasRoom(count, output, offset) else { return false }
        var (counter, start) = (counters[pid, default: 0], offset)
        output.withUnsafeMutableBytes { memory in
            section.withUnsafeBytes { section in
                for index in 0..<count {
                    let packet = UnsafeMutableRawBufferPointer(
                        rebasing: memory[start..<start + TransportPacketHeader.packetSize]
                    )
                    let prefix = Self.prefix(pid, isStart: index == 0) | UInt32(0x10 | counter) << 24
                    packet.storeBytes(of: prefix.littleEndian, as: UInt32.self)
                    if index == 0 { packet[4] = 0 }
                    let place = index == 0 ? 5 : 4
                    let from = index == 0 ? 0 : index * Self.payloadSize - 1
                    let part = UnsafeRawBufferPointer(rebasing: section[from...].prefix(packet.count - place))
                    UnsafeMutableRawBufferPointer(rebasing: packet[place...]).copyMemory(from: part)
                    packet[(place + part.count)...].initializeMemory(as: UInt8.self, repeating: 0xFF)
                    counter = (counter + 1) & 15
                    start += TransportPacketHeader.packetSize
                }
            }
        }
        counters[pid] = counter
        offset = start
        return true
    }

    /// Writes a packet that has the program clock alone, and does not count.
    ///
    /// - Parameters:
    ///   - clock: In units of 1/27,000,000 second.
    ///   - output: Where to write.
    ///   - offset: Where in `output` to begin; behind the packet then.
    /// - Returns: False when there was no room; nothing has changed then.
    @discardableResult
    public mutating func writeClock(
        _ clock: UInt64,
        pid: UInt16,
        into output: inout MutableRawSpan,
        at offset: inout Int
    ) -> Bool {
        guard !isOpen, hasRoom(1, output, offset) else { return false }
        let counter = (counters[pid, default: 0] &- 1) & 15
        let start = offset
        output.withUnsafeMutableBytes { memory in
            let packet = UnsafeMutableRawBufferPointer(
                rebasing: memory[start..<start + TransportPacketHeader.packetSize]
            )
            let prefix = Self.prefix(pid, isStart: false) | UInt32(0x20 | counter) << 24
            packet.storeBytes(of: prefix.littleEndian, as: UInt32.self)
            AdaptationField.write(
                Self.payloadSize,
                clock,
                false,
                to: UnsafeMutableRawBufferPointer(rebasing: packet[4...])
            )
        }
        offset += TransportPacketHeader.packetSize
        return true
    }

    /// Begins a PES packet, of which it writes the header.
    ///
    /// - Parameters:
    ///   - payloadSize: The size of the payload in bytes, exactly. What the header says of it is the header's affair.
    ///   - clock: The program clock for the first packet, in units of 1/27,000,000 second; nil for none.
    ///   - isRandomAccess: Whether decoding can start with this packet.
    ///   - output: Where to write.
    ///   - offset: Where in `output` to begin; behind what was written then.
    /// - Returns: False when there was no room for a packet; nothing has changed then.
    public mutating func beginPES(
        _ header: PESHeader,
        payloadSize: Int,
        pid: UInt16,
        programClockReference clock: UInt64? = nil,
        isRandomAccess: Bool = false,
        into output: inout MutableRawSpan,
        at offset: inout Int
    ) -> Bool {
        precondition(!isOpen, "the PES packet before is not complete")
        guard hasRoom(1, output, offset) else { return false }
        let total = header.size + payloadSize
        let field = AdaptationField.size(beforePESOf: total, hasClock: clock != nil, isRandomAccess)
        self.pid = pid
        prefix = Self.prefix(pid, isStart: false)
        counter = (counters[pid, default: 0] + 1) & 15
        let first =
            Self.prefix(pid, isStart: true) | UInt32((field > 0 ? 0x30 : 0x10) | counters[pid, default: 0]) << 24
        let start = offset
        output.withUnsafeMutableBytes { memory in
            let packet = UnsafeMutableRawBufferPointer(
                rebasing: memory[start..<start + TransportPacketHeader.packetSize]
            )
            packet.storeBytes(of: first.littleEndian, as: UInt32.self)
            let rest = UnsafeMutableRawBufferPointer(rebasing: packet[4...])
            if field > 0 { AdaptationField.write(field, clock, isRandomAccess, to: rest) }
            // The longest field before a whole header leaves more than the header's greatest size.
            withUnsafeTemporaryAllocation(byteCount: PESHeader.greatestSize, alignment: 4) { bytes in
                header.write(to: bytes)
                UnsafeMutableRawBufferPointer(rebasing: rest[field...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(header.size)))
            }
        }
        offset += 4 + field + header.size
        left = payloadSize
        room = Self.payloadSize - field - header.size
        if left == 0 { counters[pid] = counter }
        return true
    }

    /// Writes the next piece of the PES packet's payload.
    ///
    /// - Parameters:
    ///   - piece: The bytes; what is more than the payload still lacks is not taken.
    ///   - output: Where to write: the memory that the PES packet was begun in, or other memory when that was full.
    ///   - offset: Where in `output` to begin: behind what was written last, or 0; behind what was written then.
    /// - Returns: How many bytes were taken: fewer than there are when `output` is full.
    @inline(__always)
    public mutating func write(_ piece: RawSpan, into output: inout MutableRawSpan, at offset: inout Int) -> Int {
        let start = offset
        guard start >= 0, room <= output.byteCount - start else { return 0 }
        let count = min(piece.byteCount, left)
        var end = start
        let taken = piece.withUnsafeBytes { piece in
            output.withUnsafeMutableBytes { write(piece.baseAddress, count, to: $0, at: &end) }
        }
        offset = end
        if left == 0, taken > 0 { counters[pid] = counter }
        return taken
    }

    /// The kernel: raw pointers, since it copies in pieces of 184 bytes. It is safe because a packet is begun only
    /// where 188 bytes are left, and `room` is what is left of it.
    private mutating func write(
        _ piece: UnsafeRawPointer?,
        _ count: Int,
        to memory: UnsafeMutableRawBufferPointer,
        at offset: inout Int
    ) -> Int {
        guard let piece, let start = memory.baseAddress else { return 0 }
        var (read, left, counter) = (0, left, counter)
        var target = start + offset
        let end = start + memory.count
        if room > 0 {
            read = min(room, count)
            target.copyMemory(from: piece, byteCount: read)
            target += read
            left -= read
            room -= read
        }
        // Whole packets, none of which is the last.
        let prefix = prefix | 0x1000_0000
        while count - read >= Self.payloadSize, left >= Self.payloadSize, end - target >= 188 {
            target.storeBytes(of: (prefix | UInt32(counter) << 24).littleEndian, as: UInt32.self)
            (target + 4).copyMemory(from: piece + read, byteCount: Self.payloadSize)
            counter = (counter + 1) & 15
            target += 188
            read += Self.payloadSize
            left -= Self.payloadSize
        }
        // A packet that the next piece has a part in, or the last one.
        if read < count, end - target >= 188 {
            let field = max(0, Self.payloadSize - left)
            let control: UInt32 = field > 0 ? 0x3000_0000 : 0x1000_0000
            target.storeBytes(of: (self.prefix | control | UInt32(counter) << 24).littleEndian, as: UInt32.self)
            if field > 0 {
                let rest = UnsafeMutableRawBufferPointer(start: target + 4, count: Self.payloadSize)
                AdaptationField.write(field, nil, false, to: rest)
            }
            counter = (counter + 1) & 15
            target += 4 + field
            room = Self.payloadSize - field
            let part = min(room, count - read)
            target.copyMemory(from: piece + read, byteCount: part)
            target += part
            read += part
            left -= part
            room -= part
        }
        self.left = left
        self.counter = counter
        offset = target - start
        return read
    }

    /// How many packets a PES packet takes.
    ///
    /// - Parameters:
    ///   - size: The size of its header and its payload in bytes.
    ///   - hasClock: Whether its first packet has the program clock.
    ///   - isRandomAccess: Whether decoding can start with it.
    public static func packetCount(size: Int, hasClock: Bool, isRandomAccess: Bool) -> Int {
        (size + AdaptationField.size(hasClock: hasClock, isRandomAccess) + payloadSize - 1) / payloadSize
    }

    /// Counts packets of a PID as if they had been written: so that who writes other segments goes on behind them.
    public mutating func skip(_ count: Int, pid: UInt16) {
        counters[pid] = UInt8((Int(counters[pid, default: 0]) + count & 15) & 15)
    }

    private func hasRoom(_ count: Int, _ output: borrowing MutableRawSpan, _ offset: Int) -> Bool {
        offset >= 0 && output.byteCount - offset >= count * TransportPacketHeader.packetSize
    }

    /// The first 4 bytes of a packet, less control and counter, the first byte lowest.
    private static func prefix(_ pid: UInt16, isStart: Bool) -> UInt32 {
        UInt32(TransportPacketHeader.syncByte) | (isStart ? 0x4000 : 0) | UInt32(pid >> 8) << 8
            | UInt32(pid & 0xFF) << 16
    }
}
