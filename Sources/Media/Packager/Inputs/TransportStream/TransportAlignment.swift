import ByteCoding
import MediaFormats

/// Finds the packet boundaries of a transport stream: at the start, and again after missing or extra bytes.
///
/// In an undamaged stream it inspects one byte of each packet, and copies only the packets between two chunks.
struct TransportAlignment {
    /// The number of consecutive sync bytes, a packet size apart, that confirm a boundary.
    private static let requiredSyncBytes = 3
    private static let size = TransportPacketHeader.packetSize
    /// The number of bytes without a boundary after which the input is not a transport stream.
    static let maximumLoss = 1 << 20

    private var rest: [UInt8] = []
    private var isAligned = false
    /// The last packet before alignment was lost, which may be truncated, and the number of bytes since its start.
    private var suspect: (packet: [UInt8], distance: Int)?
    /// The number of bytes skipped since the last boundary.
    private(set) var skippedBytes = 0
    /// The number of times that alignment was lost.
    private(set) var lossCount = 0

    /// Consumes the next bytes, and calls `body` with whole packets, many at once.
    mutating func feed(_ bytes: RawSpan, _ body: (RawSpan) throws -> Void) throws {
        var start = 0
        if isAligned, !rest.isEmpty {
            // Complete the first packets, up to the sync byte after them.
            let count = (rest.count / Self.size + 1) * Self.size
            start = count - rest.count
            guard bytes.byteCount > start else { return append(bytes) }
            if Self.isSync(bytes, start) {
                append(bytes.extracting(0..<start))
                let packets = rest
                rest.removeAll(keepingCapacity: true)
                try body(packets.span.bytes)
            } else {
                start = 0
            }
        }
        let new = bytes.extracting(start..<bytes.byteCount)
        if rest.isEmpty {
            let end = try process(new, isEnd: false, body)
            append(new.extracting(end..<new.byteCount))
        } else {
            append(new)
            let joined = rest
            rest.removeAll(keepingCapacity: true)
            let end = try process(joined.span.bytes, isEnd: false, body)
            rest = Array(joined[end...])
        }
    }

    /// Consumes the end of the stream; an incomplete packet counts as damage.
    mutating func finish(_ body: (RawSpan) throws -> Void) throws {
        let left = rest
        rest = []
        let end = try process(left.span.bytes, isEnd: true, body)
        if let suspect { try body(suspect.packet.span.bytes) }
        suspect = nil
        if end < left.count, isAligned { lossCount += 1 }
    }

    private mutating func append(_ bytes: RawSpan) { bytes.withUnsafeBytes { rest.append(contentsOf: $0) } }

    private static func isSync(_ bytes: RawSpan, _ offset: Int) -> Bool {
        bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == TransportPacketHeader.syncByte
    }

    /// Passes on complete packets, and returns the number of bytes consumed. A packet is complete if a sync byte or the
    /// end follows: a splice may have truncated it.
    private mutating func process(_ bytes: RawSpan, isEnd: Bool, _ body: (RawSpan) throws -> Void) throws -> Int {
        var position = 0
        while position < bytes.byteCount {
            if isAligned {
                var end = position
                while end + Self.size <= bytes.byteCount, Self.isSync(bytes, end) { end += Self.size }
                let isLost = end < bytes.byteCount && !Self.isSync(bytes, end)
                let isUnverified = isLost || end == bytes.byteCount && !isEnd
                let verified = isUnverified && end > position ? end - Self.size : end
                if verified > position { try body(bytes.extracting(position..<verified)) }
                position = verified
                guard isLost else { return position }
                isAligned = false
                lossCount += 1
                if end > position {
                    suspect = (bytes.extracting(position..<end).withUnsafeBytes { [UInt8]($0) }, 1)
                    position += 1
                }
            }
            guard try align(bytes, &position, isEnd: isEnd, body) else { return position }
        }
        return position
    }

    /// Finds the next boundary. Returns false if more bytes are needed.
    private mutating func align(
        _ bytes: RawSpan,
        _ position: inout Int,
        isEnd: Bool,
        _ body: (RawSpan) throws -> Void
    ) throws -> Bool {
        // At the end, fewer packets suffice, because no more follow.
        let needed = isEnd ? Self.size : (Self.requiredSyncBytes - 1) * Self.size + 1
        while bytes.byteCount - position >= needed {
            isAligned = (0..<Self.requiredSyncBytes).allSatisfy { index in
                let offset = position + index * Self.size
                return offset >= bytes.byteCount || Self.isSync(bytes, offset)
            }
            guard !isAligned else {
                skippedBytes = 0
                // The last packet was complete if the boundary is where it would be without a loss.
                if let suspect, suspect.distance.isMultiple(of: Self.size) { try body(suspect.packet.span.bytes) }
                suspect = nil
                return true
            }
            position += 1
            suspect?.distance += 1
            skippedBytes += 1
        }
        return false
    }
}
