import ByteCoding
import MediaFormats

/// Finds the packet boundaries of a transport stream: at the start, and again after missing or extra bytes.
///
/// In an undamaged stream it inspects one byte of each packet and copies nothing.
struct TransportAlignment {
    /// The number of consecutive sync bytes, a packet size apart, that confirm a boundary.
    private static let requiredSyncBytes = 3
    private static let size = TransportPacketHeader.packetSize
    /// The number of bytes without a boundary after which the input is not a transport stream.
    static let maximumLoss = 1 << 20

    private var rest: [UInt8] = []
    private var isAligned = false
    /// The number of bytes skipped since the last boundary.
    private(set) var skippedBytes = 0
    /// The number of times that alignment was lost.
    private(set) var lossCount = 0

    /// Consumes the next bytes, and calls `body` with whole packets, many at once.
    mutating func feed(_ bytes: RawSpan, _ body: (RawSpan) throws -> Void) throws {
        var position = 0
        if isAligned, !rest.isEmpty {
            position = min(Self.size - rest.count, bytes.byteCount)
            bytes.extracting(0..<position).withUnsafeBytes { rest.append(contentsOf: $0) }
            guard rest.count == Self.size else { return }
            let packet = rest
            rest.removeAll(keepingCapacity: true)
            try process(packet.span.bytes, isEnd: false, body)
        }
        let new = bytes.extracting(position..<bytes.byteCount)
        if rest.isEmpty {
            try process(new, isEnd: false, body)
        } else {
            var joined = rest
            rest.removeAll(keepingCapacity: true)
            new.withUnsafeBytes { joined.append(contentsOf: $0) }
            try process(joined.span.bytes, isEnd: false, body)
        }
    }

    /// Consumes the end of the stream; an incomplete packet counts as damage.
    mutating func finish(_ body: (RawSpan) throws -> Void) throws {
        let left = rest
        rest = []
        try process(left.span.bytes, isEnd: true, body)
        if !rest.isEmpty, isAligned { lossCount += 1 }
        rest = []
    }

    /// Passes on complete packets, and buffers the remaining bytes.
    private mutating func process(_ bytes: RawSpan, isEnd: Bool, _ body: (RawSpan) throws -> Void) throws {
        func isSync(_ offset: Int) -> Bool {
            bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == TransportPacketHeader.syncByte
        }
        var position = 0
        while position < bytes.byteCount {
            if isAligned {
                var end = position
                while end + Self.size <= bytes.byteCount, isSync(end) { end += Self.size }
                if end > position { try body(bytes.extracting(position..<end)) }
                position = end
                if position == bytes.byteCount || isSync(position) { break }
                isAligned = false
                lossCount += 1
            }
            // At the end, fewer packets suffice, because no more follow.
            let needed = isEnd ? Self.size : (Self.requiredSyncBytes - 1) * Self.size + 1
            while !isAligned, bytes.byteCount - position >= needed {
                isAligned = (0..<Self.requiredSyncBytes).allSatisfy { index in
                    let offset = position + index * Self.size
                    return offset >= bytes.byteCount || isSync(offset)
                }
                if !isAligned { position += 1 }
                skippedBytes = isAligned ? 0 : skippedBytes + 1
            }
            if !isAligned { break }
        }
        bytes.extracting(position..<bytes.byteCount).withUnsafeBytes { rest.append(contentsOf: $0) }
    }
}
