/// A packetizer that writes transport stream packets to the caller's memory (ISO/IEC 13818-1, 2.4.3) at nearly the
/// speed of copying the payload. It stores the continuity counters of its PIDs, so that they continue from one segment
/// to the next.
///
/// ``beginPES(_:payloadSize:pid:programClockReference:isRandomAccess:into:at:)`` starts a PES packet of a fixed size,
/// and `write` adds its payload in parts. Parts are not stored and do not have to be contiguous. If the memory is full,
/// `write` consumes only part of the bytes; call it again with more memory:
///
///     packetizer.beginPES(header, payloadSize: size, pid: 0x100, into: &output, at: &end)
///     let taken = packetizer.write(piece, into: &output, at: &end)
///
/// The last transport packet in the memory is always complete when the memory is full or the PES packet is complete.
/// The last transport packet of a PES packet has stuffing before its payload.
public struct TransportPacketizer: Sendable {
    /// The payload size in bytes of a packet without an adaptation field.
    static let payloadSize = 184

    /// The continuity counter of each PID's next packet with a payload.
    private var counters: [UInt16: UInt8] = [:]
    /// The first 4 bytes of the current PES packet's transport packets, without the counter, in memory order.
    private var prefix: UInt32 = 0
    private var pid: UInt16 = 0
    private var counter: UInt8 = 0
    /// The number of payload bytes that have not been written yet.
    private var payloadBytesLeft = 0
    /// The number of payload bytes that still fit in the last transport packet.
    private var packetBytesLeft = 0

    /// Creates a packetizer with all continuity counters at 0.
    public init() {}

    /// True if a PES packet has been started and its payload is not complete.
    public var isOpen: Bool { payloadBytesLeft > 0 }

    /// Writes a table section to separate packets.
    ///
    /// - Parameters:
    ///   - output: the memory to write to.
    ///   - offset: the offset of the first packet in `output`; afterwards the offset after the last packet.
    /// - Returns: false if the memory is too small, in which case nothing has changed.
    @discardableResult
    public mutating func writeSection(
        _ section: [UInt8],
        pid: UInt16,
        into output: inout MutableRawSpan,
        at offset: inout Int
    ) -> Bool {
        // The pointer field is 0, because the section begins directly after it. Unused bytes are 0xFF.
        let count = section.count / Self.payloadSize + 1
        guard !isOpen, hasSpace(count, output, offset) else { return false }
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
                    let contentStart = index == 0 ? 5 : 4
                    let from = index == 0 ? 0 : index * Self.payloadSize - 1
                    let part = UnsafeRawBufferPointer(rebasing: section[from...].prefix(packet.count - contentStart))
                    UnsafeMutableRawBufferPointer(rebasing: packet[contentStart...]).copyMemory(from: part)
                    packet[(contentStart + part.count)...].initializeMemory(as: UInt8.self, repeating: 0xFF)
                    counter = (counter + 1) & 15
                    start += TransportPacketHeader.packetSize
                }
            }
        }
        counters[pid] = counter
        offset = start
        return true
    }

    /// Writes a packet with only the program clock reference (PCR). It does not increase the continuity counter.
    ///
    /// - Parameters:
    ///   - clock: the PCR in units of 1/27,000,000 second.
    ///   - output: the memory to write to.
    ///   - offset: the offset of the packet in `output`; afterwards the offset after the packet.
    /// - Returns: false if the memory is too small, in which case nothing has changed.
    @discardableResult
    public mutating func writePCR(
        _ clock: UInt64,
        pid: UInt16,
        into output: inout MutableRawSpan,
        at offset: inout Int
    ) -> Bool {
        guard !isOpen, hasSpace(1, output, offset) else { return false }
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

    /// Starts a PES packet and writes its header.
    ///
    /// - Parameters:
    ///   - payloadSize: the exact size of the payload in bytes. It can differ from the length in the header.
    ///   - clock: the program clock reference (PCR) of the first packet, in units of 1/27,000,000 second; nil for none.
    ///   - isRandomAccess: whether decoding can start at this packet.
    ///   - output: the memory to write to.
    ///   - offset: the offset of the first packet in `output`; afterwards the offset after the written bytes.
    /// - Returns: false if the memory is too small for a packet, in which case nothing has changed.
    public mutating func beginPES(
        _ header: PESHeader,
        payloadSize: Int,
        pid: UInt16,
        programClockReference clock: UInt64? = nil,
        isRandomAccess: Bool = false,
        into output: inout MutableRawSpan,
        at offset: inout Int
    ) -> Bool {
        precondition(!isOpen, "the previous PES packet is not complete")
        guard hasSpace(1, output, offset) else { return false }
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
            // With the longest adaptation field, the packet still has more space than the maximum size of a PES header.
            withUnsafeTemporaryAllocation(byteCount: PESHeader.maximumSize, alignment: 4) { bytes in
                header.write(to: bytes)
                UnsafeMutableRawBufferPointer(rebasing: rest[field...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(header.size)))
            }
        }
        offset += 4 + field + header.size
        payloadBytesLeft = payloadSize
        packetBytesLeft = Self.payloadSize - field - header.size
        if payloadBytesLeft == 0 { counters[pid] = counter }
        return true
    }

    /// Writes the next part of the PES packet's payload.
    ///
    /// - Parameters:
    ///   - piece: the bytes. Bytes beyond the size of the payload are not consumed.
    ///   - output: the memory to write to: the memory in which the PES packet was started, or new memory after that was
    ///     full.
    ///   - offset: the offset in `output` after the last written byte, or 0 in new memory; afterwards the offset after
    ///     the written bytes.
    /// - Returns: the number of bytes consumed, less than the size of `piece` if `output` is full.
    @inline(__always)
    public mutating func write(_ piece: RawSpan, into output: inout MutableRawSpan, at offset: inout Int) -> Int {
        let start = offset
        guard start >= 0, packetBytesLeft <= output.byteCount - start else { return 0 }
        let count = min(piece.byteCount, payloadBytesLeft)
        var end = start
        let taken = piece.withUnsafeBytes { piece in
            output.withUnsafeMutableBytes { write(piece.baseAddress, count, to: $0, at: &end) }
        }
        offset = end
        if payloadBytesLeft == 0, taken > 0 { counters[pid] = counter }
        return taken
    }

    /// The copy loop, with raw pointers because it copies in parts of 184 bytes. It is memory-safe because a packet is
    /// started only if 188 bytes are available, and `packetBytesLeft` is the number of bytes left in that packet.
    private mutating func write(
        _ piece: UnsafeRawPointer?,
        _ count: Int,
        to memory: UnsafeMutableRawBufferPointer,
        at offset: inout Int
    ) -> Int {
        guard let piece, let start = memory.baseAddress else { return 0 }
        var (read, payloadBytesLeft, counter) = (0, payloadBytesLeft, counter)
        var target = start + offset
        let end = start + memory.count
        if packetBytesLeft > 0 {
            read = min(packetBytesLeft, count)
            target.copyMemory(from: piece, byteCount: read)
            target += read
            payloadBytesLeft -= read
            packetBytesLeft -= read
        }
        // Full packets, except the last packet of the PES packet.
        let prefix = prefix | 0x1000_0000
        while count - read >= Self.payloadSize, payloadBytesLeft >= Self.payloadSize, end - target >= 188 {
            target.storeBytes(of: (prefix | UInt32(counter) << 24).littleEndian, as: UInt32.self)
            (target + 4).copyMemory(from: piece + read, byteCount: Self.payloadSize)
            counter = (counter + 1) & 15
            target += 188
            read += Self.payloadSize
            payloadBytesLeft -= Self.payloadSize
        }
        // A packet that the next part continues, or the last packet of the PES packet.
        if read < count, end - target >= 188 {
            let field = max(0, Self.payloadSize - payloadBytesLeft)
            let control: UInt32 = field > 0 ? 0x3000_0000 : 0x1000_0000
            target.storeBytes(of: (self.prefix | control | UInt32(counter) << 24).littleEndian, as: UInt32.self)
            if field > 0 {
                let rest = UnsafeMutableRawBufferPointer(start: target + 4, count: Self.payloadSize)
                AdaptationField.write(field, nil, false, to: rest)
            }
            counter = (counter + 1) & 15
            target += 4 + field
            packetBytesLeft = Self.payloadSize - field
            let part = min(packetBytesLeft, count - read)
            target.copyMemory(from: piece + read, byteCount: part)
            target += part
            read += part
            payloadBytesLeft -= part
            packetBytesLeft -= part
        }
        self.payloadBytesLeft = payloadBytesLeft
        self.counter = counter
        offset = target - start
        return read
    }

    /// Returns the number of transport packets of a PES packet.
    ///
    /// - Parameters:
    ///   - size: the size of its header and payload in bytes.
    ///   - hasClock: whether its first packet contains the program clock reference (PCR).
    ///   - isRandomAccess: whether decoding can start at this packet.
    public static func packetCount(size: Int, hasClock: Bool, isRandomAccess: Bool) -> Int {
        (size + AdaptationField.size(hasClock: hasClock, isRandomAccess) + payloadSize - 1) / payloadSize
    }

    /// Increases the continuity counter of a PID as if `count` packets had been written, so that another packetizer can
    /// write these packets.
    public mutating func skip(_ count: Int, pid: UInt16) {
        counters[pid] = UInt8((Int(counters[pid, default: 0]) + count & 15) & 15)
    }

    private func hasSpace(_ count: Int, _ output: borrowing MutableRawSpan, _ offset: Int) -> Bool {
        offset >= 0 && output.byteCount - offset >= count * TransportPacketHeader.packetSize
    }

    /// Returns the first 4 bytes of a packet, without the control field and the counter, in little-endian order.
    private static func prefix(_ pid: UInt16, isStart: Bool) -> UInt32 {
        UInt32(TransportPacketHeader.syncByte) | (isStart ? 0x4000 : 0) | UInt32(pid >> 8) << 8
            | UInt32(pid & 0xFF) << 16
    }
}
