import ByteCoding
import MediaFormats

/// Finds the packet boundaries of a transport stream: at the start, and again after missing or extra bytes.
///
/// In an undamaged stream it inspects one byte of each packet and copies nothing.
struct TransportAlignment {
    /// The number of consecutive sync bytes, a packet size apart, that confirm a boundary.
    private static let proof = 3
    private static let size = TransportPacketHeader.packetSize
    /// The number of bytes without a boundary after which the input is not a transport stream.
    static let greatestLoss = 1 << 20

    private var rest: [UInt8] = []
    private var isAligned = false
    /// The number of bytes skipped since the last boundary.
    private(set) var loss = 0
    /// The number of times that alignment was lost.
    private(set) var losses = 0

    /// Consumes the next bytes, and calls `body` with whole packets, many at once.
    mutating func feed(_ bytes: RawSpan, _ body: (RawSpan) throws -> Void) throws {
        var position = 0
        if isAligned, !rest.isEmpty {
            position = min(Self.size - rest.count, bytes.byteCount)
            bytes.extracting(0..<position).withUnsafeBytes { rest.append(contentsOf: $0) }
            guard rest.count == Self.size else { return }
            let packet = rest
            rest.removeAll(keepingCapacity: true)
            try walk(packet.span.bytes, isEnd: false, body)
        }
        let new = bytes.extracting(position..<bytes.byteCount)
        if rest.isEmpty {
            try walk(new, isEnd: false, body)
        } else {
            var joined = rest
            rest.removeAll(keepingCapacity: true)
            new.withUnsafeBytes { joined.append(contentsOf: $0) }
            try walk(joined.span.bytes, isEnd: false, body)
        }
    }

    /// Consumes the end of the stream; an incomplete packet counts as damage.
    mutating func finish(_ body: (RawSpan) throws -> Void) throws {
        let left = rest
        rest = []
        try walk(left.span.bytes, isEnd: true, body)
        if !rest.isEmpty, isAligned { losses += 1 }
        rest = []
    }

    /// Passes on complete packets, and buffers the remaining bytes.
    private mutating func walk(_ bytes: RawSpan, isEnd: Bool, _ body: (RawSpan) throws -> Void) throws {
        func isSync(_ place: Int) -> Bool {
            bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self) == TransportPacketHeader.syncByte
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
                losses += 1
            }
            // At the end, fewer packets suffice, because no more follow.
            let needed = isEnd ? Self.size : (Self.proof - 1) * Self.size + 1
            while !isAligned, bytes.byteCount - position >= needed {
                isAligned = (0..<Self.proof).allSatisfy { index in
                    let place = position + index * Self.size
                    return place >= bytes.byteCount || isSync(place)
                }
                if !isAligned { position += 1 }
                loss = isAligned ? 0 : loss + 1
            }
            if !isAligned { break }
        }
        bytes.extracting(position..<bytes.byteCount).withUnsafeBytes { rest.append(contentsOf: $0) }
    }
}
